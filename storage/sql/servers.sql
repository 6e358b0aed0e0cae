-- name: gone()
SELECT guild_id, gone_since FROM gone_servers ORDER BY guild_id;

-- name: mark(guild_id, gone_since)!
INSERT INTO gone_servers (guild_id, gone_since) VALUES (:guild_id, :gone_since)
ON CONFLICT (guild_id) DO NOTHING;

-- name: forget_mark(guild_id)!
DELETE FROM gone_servers WHERE guild_id = :guild_id;
