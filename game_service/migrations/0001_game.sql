-- Times are microseconds since 1970 in UTC.

CREATE TABLE players (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    screen_name TEXT NOT NULL,
    avatar TEXT NOT NULL,
    is_subscribed BOOLEAN NOT NULL,
    verified_at BIGINT,
    park INTEGER NOT NULL
);

CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    player_id INTEGER NOT NULL REFERENCES players (id),
    created_at BIGINT NOT NULL
);

CREATE TABLE threads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL
);

-- AUTOINCREMENT: an id is never given twice, so that an old id can't come to mean a new comment
-- and the order of ids is the order of writing.
CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id INTEGER NOT NULL REFERENCES threads (id),
    parent_id INTEGER REFERENCES comments (id),
    -- The top-level comment it hangs below; NULL on that one itself.
    root_id INTEGER,
    depth INTEGER NOT NULL,
    player_id INTEGER NOT NULL REFERENCES players (id),
    content TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    children_count INTEGER NOT NULL DEFAULT 0,
    -- Replies at any depth and the rank made from them: kept for top-level comments only.
    replies_count INTEGER NOT NULL DEFAULT 0,
    score DOUBLE PRECISION NOT NULL DEFAULT 0
);

-- Each holds all that choosing a page needs, parent_id included, so that skipping the pages before
-- it never touches the table. The first finds the children of a comment, too.
CREATE INDEX comments_latest ON comments (parent_id, thread_id, id);
CREATE INDEX comments_hottest ON comments (thread_id, parent_id, score, id)
WHERE parent_id IS NULL;

CREATE TABLE catalogs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL
);

CREATE TABLE currencies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    singular_name TEXT NOT NULL,
    icon TEXT NOT NULL
);

CREATE TABLE item_types (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    image TEXT NOT NULL
);

CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    catalog_id INTEGER NOT NULL REFERENCES catalogs (id),
    currency_id INTEGER NOT NULL REFERENCES currencies (id),
    item_type_id INTEGER NOT NULL REFERENCES item_types (id),
    name TEXT NOT NULL,
    cost BIGINT NOT NULL CHECK (cost >= 0),
    icon TEXT NOT NULL,
    paper TEXT,
    no_eye TEXT,
    is_clearance BOOLEAN NOT NULL,
    is_coin_code_item BOOLEAN NOT NULL,
    is_member_item BOOLEAN NOT NULL,
    is_gone BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE INDEX items_in_catalog ON items (catalog_id, id) WHERE NOT is_gone;

CREATE TABLE item_parks (
    item_id INTEGER NOT NULL REFERENCES items (id),
    park INTEGER NOT NULL,
    PRIMARY KEY (item_id, park)
);

CREATE TABLE balances (
    player_id INTEGER NOT NULL REFERENCES players (id),
    currency_id INTEGER NOT NULL REFERENCES currencies (id),
    amount BIGINT NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (player_id, currency_id)
);

CREATE TABLE purchases (
    player_id INTEGER NOT NULL REFERENCES players (id),
    item_id INTEGER NOT NULL REFERENCES items (id),
    currency_id INTEGER NOT NULL REFERENCES currencies (id),
    cost BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, item_id)
);

CREATE TABLE redemptions (
    player_id INTEGER NOT NULL REFERENCES players (id),
    item_id INTEGER NOT NULL REFERENCES items (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, item_id)
);
