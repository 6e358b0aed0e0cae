-- Where each server's panel is: the public card that lists its threads and catalogs.
CREATE TABLE panels (
    guild_id BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL,
    -- Unknown until it is posted.
    message_id BIGINT,
    -- The server's language.
    locale TEXT NOT NULL,
    -- How often it was to be drawn.
    version BIGINT NOT NULL DEFAULT 0
);
