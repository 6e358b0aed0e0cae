-- Orders are written before the game is asked, so that a crash leaves a trace of each.
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    member_id BIGINT NOT NULL,
    -- 'purchase' or 'redeem'
    kind TEXT NOT NULL,
    item_id BIGINT NOT NULL,
    catalog_id BIGINT NOT NULL,
    -- The catalog's page that had the item: where a look-up starts.
    page BIGINT NOT NULL,
    item_name TEXT NOT NULL,
    cost BIGINT NOT NULL,
    currency_name TEXT NOT NULL,
    currency_singular TEXT NOT NULL,
    -- The card it was confirmed on; a second press there finds the first one's order.
    confirmation BIGINT NOT NULL UNIQUE,
    -- The language to tell the member in, once nobody is waiting for an answer.
    locale TEXT NOT NULL,
    -- When the account was linked that ordered: another account's belongings settle nothing.
    linked_at BIGINT NOT NULL,
    -- 'started', 'done', 'refused' or 'unknown'
    state TEXT NOT NULL,
    reason TEXT,
    game_words TEXT,
    is_open BOOLEAN NOT NULL,
    -- The state that the member was last told.
    told_state TEXT,
    created_at BIGINT NOT NULL,
    -- When the game was asked; nothing can have happened before.
    sent_at BIGINT,
    settled_at BIGINT,
    -- The running process that handles the order, and when any other may take it over. An order
    -- that nobody needs to look at again has no such time.
    claimed_by TEXT NOT NULL,
    due_at BIGINT
);

CREATE UNIQUE INDEX orders_open ON orders (member_id, item_id, kind) WHERE is_open;
CREATE INDEX orders_due ON orders (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX orders_of_member ON orders (member_id, id);

-- What a member could not be told by direct message waits here for their next command.
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    member_id BIGINT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX inbox_of_member ON inbox (member_id, id);
