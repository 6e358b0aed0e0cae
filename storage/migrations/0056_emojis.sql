-- The game's pictures of currencies and types, as emojis of the application.
CREATE TABLE emojis (
    -- What is pictured: `currency 1`, `type 2`.
    key TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    -- The emoji it has become; none until then, or where the picture can't be had.
    name TEXT,
    emoji_id BIGINT,
    -- When to look at the picture; none once that was done.
    due_at BIGINT,
    failures BIGINT NOT NULL
);
