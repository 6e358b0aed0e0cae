-- What Kiosk owes to Discord outside an interaction, until it is settled. The id is the nonce of
-- the message, so that no id is ever given twice.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    -- Owing the same thing twice owes it once.
    key TEXT NOT NULL UNIQUE,
    -- The lowest goes first.
    priority BIGINT NOT NULL,
    channel_id BIGINT,
    -- Whom a direct message is for; its channel is known when it is sent.
    member_id BIGINT,
    -- The channel or member: one request is in flight for each.
    lane BIGINT NOT NULL,
    -- JSON that the kind alone reads.
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When it may be tried next; NULL when it is settled.
    due_at BIGINT,
    -- The first try of those whose answer never came; NULL when none may have got through.
    attempted_at BIGINT,
    -- The same by the clock of the machine that tried, which nobody can set; see bot/clock.py.
    attempted_uptime TEXT,
    -- Counted before each try: who holds an older number has lost the row.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- 'owed', 'sent', 'refused', 'unknown' or 'dropped'
    state TEXT NOT NULL DEFAULT 'owed',
    settled_at BIGINT,
    message_id BIGINT,
    reason TEXT
);

CREATE INDEX outbox_owed ON outbox (priority, lane, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE due_at IS NULL;

-- The channel of direct messages with each member, once it was opened.
CREATE TABLE direct_channels (
    member_id BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL
);

-- The language to tell the writer in, once nobody is waiting for an answer.
ALTER TABLE drafts ADD COLUMN locale TEXT;
ALTER TABLE outcomes ADD COLUMN locale TEXT;
