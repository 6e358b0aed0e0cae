-- Names that one process holds at a time; see storage/claims.py.
CREATE TABLE claims (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    -- What the holder counts up; it never writes the same number twice.
    beat BIGINT NOT NULL,
    -- After so long without a beat, another process may take the name over.
    term_ms BIGINT NOT NULL
);

-- When each shard has told Discord who it is, for the brake; see bot/identifying.py.
CREATE TABLE identifies (
    shard_id BIGINT NOT NULL,
    identified_at BIGINT NOT NULL
);

CREATE INDEX identifies_by_shard ON identifies (shard_id, identified_at);

-- Servers that Kiosk keeps rows for and is no longer in; see storage/servers.py.
CREATE TABLE gone_servers (
    guild_id BIGINT PRIMARY KEY,
    gone_since BIGINT NOT NULL
);
