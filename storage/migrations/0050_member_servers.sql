-- In which servers members use Kiosk: the names there hold in their direct messages too.
CREATE TABLE member_servers (
    member_id BIGINT NOT NULL,
    guild_id BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (member_id, guild_id)
);

CREATE INDEX member_servers_by_age ON member_servers (used_at);

CREATE INDEX member_servers_by_server ON member_servers (guild_id);
