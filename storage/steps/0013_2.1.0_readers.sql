-- Since 2.1.0 managers say themselves that their accounts may read catalogs for a server. Until then
-- it was whoever announced one.
CREATE TABLE readers (
    guild_id BIGINT NOT NULL,
    member_id BIGINT NOT NULL,
    agreed_at BIGINT NOT NULL,
    PRIMARY KEY (guild_id, member_id)
);
INSERT INTO readers
SELECT guild_id, created_by, MIN(created_at) FROM subscriptions
 WHERE kind = 'catalog' AND channel_id IS NOT NULL AND created_by <> 0
 GROUP BY guild_id, created_by;
