-- Discord's ids and the game's are below 2^63; times are microseconds since the epoch.
CREATE TABLE links (
    member_id BIGINT PRIMARY KEY,
    sealed_token BYTEA NOT NULL,
    is_refused BOOLEAN NOT NULL DEFAULT FALSE,
    linked_at BIGINT NOT NULL,
    player_id BIGINT,
    player_name TEXT
);

CREATE TABLE names (
    guild_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    game_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- The name folded for comparison, so that two names never differ by case alone.
    name_key TEXT NOT NULL,
    PRIMARY KEY (guild_id, kind, game_id),
    UNIQUE (guild_id, kind, name_key)
);

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
