-- game: all that the game's service keeps. Times are microseconds since 1970 in UTC; {id} is a number
-- that the database gives, never the same one twice.

CREATE TABLE players (
    id {id},
    screen_name TEXT NOT NULL,
    avatar TEXT NOT NULL,
    is_subscribed BOOLEAN NOT NULL,
    verified_at BIGINT,
    park BIGINT NOT NULL
);

CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    player_id BIGINT NOT NULL REFERENCES players (id),
    created_at BIGINT NOT NULL
);

CREATE TABLE threads (
    id {id},
    name TEXT NOT NULL,
    -- The number of the newest change in it, and how many moves it has had.
    changed BIGINT NOT NULL DEFAULT 0,
    moves BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX threads_changed ON threads (changed);

-- An old id can't come to mean a new comment, and the order of ids is the order of writing.
CREATE TABLE comments (
    id {id},
    thread_id BIGINT NOT NULL REFERENCES threads (id),
    parent_id BIGINT REFERENCES comments (id),
    -- The top-level comment above it, NULL for that comment itself.
    root_id BIGINT,
    depth BIGINT NOT NULL,
    player_id BIGINT NOT NULL REFERENCES players (id),
    content TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    children_count BIGINT NOT NULL DEFAULT 0,
    -- Replies at any depth and the rank made from them: kept for top-level comments only.
    replies_count BIGINT NOT NULL DEFAULT 0,
    score DOUBLE PRECISION NOT NULL DEFAULT 0,
    -- Counts the changes of a top-level comment with all below it.
    version BIGINT NOT NULL DEFAULT 0
);

-- Each holds all that choosing a page needs, parent_id included, so that skipping the pages before
-- it never touches the table. The first finds the children of a comment, too.
CREATE INDEX comments_latest ON comments (parent_id, thread_id, id);
CREATE INDEX comments_hottest ON comments (thread_id, parent_id, score, id)
WHERE parent_id IS NULL;

CREATE TABLE catalogs (
    id {id},
    name TEXT NOT NULL
);

CREATE TABLE currencies (
    id {id},
    name TEXT NOT NULL UNIQUE,
    singular_name TEXT NOT NULL,
    icon TEXT NOT NULL
);

CREATE TABLE item_types (
    id {id},
    name TEXT NOT NULL UNIQUE,
    image TEXT NOT NULL
);

CREATE TABLE items (
    id {id},
    catalog_id BIGINT NOT NULL REFERENCES catalogs (id),
    currency_id BIGINT NOT NULL REFERENCES currencies (id),
    item_type_id BIGINT NOT NULL REFERENCES item_types (id),
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
    item_id BIGINT NOT NULL REFERENCES items (id),
    park BIGINT NOT NULL,
    PRIMARY KEY (item_id, park)
);

CREATE TABLE balances (
    player_id BIGINT NOT NULL REFERENCES players (id),
    currency_id BIGINT NOT NULL REFERENCES currencies (id),
    amount BIGINT NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (player_id, currency_id)
);

CREATE TABLE purchases (
    player_id BIGINT NOT NULL REFERENCES players (id),
    item_id BIGINT NOT NULL REFERENCES items (id),
    currency_id BIGINT NOT NULL REFERENCES currencies (id),
    cost BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, item_id)
);

CREATE TABLE redemptions (
    player_id BIGINT NOT NULL REFERENCES players (id),
    item_id BIGINT NOT NULL REFERENCES items (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, item_id)
);

-- Triggers record what has changed, whatever process writes: which threads since a number, the
-- version of a top-level comment with all below it, and what moved in a thread's orders.

-- One row. Its number is that of the newest change.
CREATE TABLE changes (number BIGINT NOT NULL);
INSERT INTO changes VALUES (0);

-- A top-level comment that came (no old score), went (no new one) or changed its score.
CREATE TABLE moves (
    thread_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    comment_id BIGINT NOT NULL,
    old_score DOUBLE PRECISION,
    new_score DOUBLE PRECISION,
    PRIMARY KEY (thread_id, number)
);

-- only sqlite

CREATE TRIGGER comment_written AFTER INSERT ON comments BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = NEW.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = NEW.root_id;
END;

CREATE TRIGGER comment_deleted AFTER DELETE ON comments BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = OLD.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = OLD.root_id;
END;

CREATE TRIGGER comment_changed
AFTER UPDATE OF content, player_id, depth, created_at, children_count, score ON comments BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = NEW.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = coalesce(NEW.root_id, NEW.id);
END;

CREATE TRIGGER player_changed
AFTER UPDATE OF screen_name, avatar, is_subscribed, verified_at ON players BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes)
    WHERE id IN (SELECT thread_id FROM comments WHERE player_id = NEW.id);
    UPDATE comments SET version = version + 1
    WHERE id IN (SELECT coalesce(root_id, id) FROM comments WHERE player_id = NEW.id);
END;

CREATE TRIGGER comment_came AFTER INSERT ON comments WHEN NEW.parent_id IS NULL BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = NEW.thread_id;
    INSERT INTO moves SELECT id, moves, NEW.id, NULL, NEW.score FROM threads
    WHERE id = NEW.thread_id;
END;

CREATE TRIGGER comment_went AFTER DELETE ON comments WHEN OLD.parent_id IS NULL BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = OLD.thread_id;
    INSERT INTO moves SELECT id, moves, OLD.id, OLD.score, NULL FROM threads
    WHERE id = OLD.thread_id;
END;

CREATE TRIGGER comment_moved AFTER UPDATE OF score ON comments
WHEN NEW.parent_id IS NULL AND OLD.score <> NEW.score BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = NEW.thread_id;
    INSERT INTO moves SELECT id, moves, NEW.id, OLD.score, NEW.score FROM threads
    WHERE id = NEW.thread_id;
END;

-- Readers that are further behind than this start again.
CREATE TRIGGER moves_forgotten AFTER INSERT ON moves BEGIN
    DELETE FROM moves WHERE thread_id = NEW.thread_id AND number <= NEW.number - 1000;
END;

-- only postgresql

-- The bodies are quoted as text: a schema is cut into statements where text ends.

-- Before anything else is locked, and held until the end: numbers come to last in their order.
CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    UPDATE changes SET number = number + 1;
    RETURN NULL;
END';

CREATE FUNCTION note_comment() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    it comments := CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END;
BEGIN
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = it.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = coalesce(it.root_id, it.id);
    RETURN NULL;
END';

CREATE FUNCTION note_player() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    UPDATE threads SET changed = (SELECT number FROM changes)
    WHERE id IN (SELECT thread_id FROM comments WHERE player_id = NEW.id);
    UPDATE comments SET version = version + 1
    WHERE id IN (SELECT coalesce(root_id, id) FROM comments WHERE player_id = NEW.id);
    RETURN NULL;
END';

-- Readers that are more than a thousand moves behind start again.
CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    it comments := CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END;
    newest BIGINT;
BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = it.thread_id RETURNING moves INTO newest;
    INSERT INTO moves VALUES (
        it.thread_id,
        newest,
        it.id,
        CASE TG_OP WHEN ''INSERT'' THEN NULL ELSE OLD.score END,
        CASE TG_OP WHEN ''DELETE'' THEN NULL ELSE NEW.score END
    );
    DELETE FROM moves WHERE thread_id = it.thread_id AND number <= newest - 1000;
    RETURN NULL;
END';

-- OR REPLACE: without it, they would be taken for SQLite's, which end otherwise.
CREATE OR REPLACE TRIGGER change_counted BEFORE INSERT OR DELETE OR UPDATE
OF content, player_id, depth, created_at, children_count, score ON comments
FOR EACH STATEMENT EXECUTE FUNCTION count_change();

CREATE OR REPLACE TRIGGER comment_written AFTER INSERT OR DELETE OR UPDATE
OF content, player_id, depth, created_at, children_count, score ON comments
FOR EACH ROW EXECUTE FUNCTION note_comment();

CREATE OR REPLACE TRIGGER player_counted BEFORE UPDATE
OF screen_name, avatar, is_subscribed, verified_at ON players
FOR EACH STATEMENT EXECUTE FUNCTION count_change();

CREATE OR REPLACE TRIGGER player_changed AFTER UPDATE
OF screen_name, avatar, is_subscribed, verified_at ON players
FOR EACH ROW EXECUTE FUNCTION note_player();

CREATE OR REPLACE TRIGGER comment_came AFTER INSERT ON comments
FOR EACH ROW WHEN (NEW.parent_id IS NULL) EXECUTE FUNCTION note_move();

CREATE OR REPLACE TRIGGER comment_went AFTER DELETE ON comments
FOR EACH ROW WHEN (OLD.parent_id IS NULL) EXECUTE FUNCTION note_move();

CREATE OR REPLACE TRIGGER comment_moved AFTER UPDATE OF score ON comments
FOR EACH ROW WHEN (NEW.parent_id IS NULL AND OLD.score <> NEW.score)
EXECUTE FUNCTION note_move();
