-- name: kept()
-- The servers that Kiosk keeps anything for.
SELECT guild_id FROM names
 UNION SELECT guild_id FROM shown_messages
 UNION SELECT guild_id FROM subscriptions
 UNION SELECT guild_id FROM member_servers
 UNION SELECT guild_id FROM cases
 UNION SELECT guild_id FROM watched_words
 UNION SELECT guild_id FROM automod
 UNION SELECT guild_id FROM moderation WHERE revision > 0;

-- name: gone()
SELECT guild_id, gone_since FROM gone_servers;

-- name: mark(guild_id, gone_since)!
INSERT INTO gone_servers (guild_id, gone_since) VALUES (:guild_id, :gone_since)
ON CONFLICT (guild_id) DO NOTHING;

-- name: forget_mark(guild_id)!
DELETE FROM gone_servers WHERE guild_id = :guild_id;
