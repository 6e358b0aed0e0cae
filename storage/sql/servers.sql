-- name: kept(after, most)
-- The next servers that Kiosk keeps anything for, one after the other: there are few beside their
-- rows.
WITH RECURSIVE kept (guild_id) AS (
    SELECT CAST(:after AS BIGINT)
     UNION ALL
    SELECT (SELECT MIN(guild_id) FROM (
        SELECT MIN(guild_id) AS guild_id FROM names WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM shown_messages WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM subscriptions WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM follows WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM member_servers WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM panels WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM cases WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM removals WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM watched_words WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM automod WHERE guild_id > kept.guild_id
         UNION ALL
        SELECT MIN(guild_id) FROM moderation WHERE guild_id > kept.guild_id AND revision > 0
    ) AS next)
      FROM kept WHERE kept.guild_id IS NOT NULL)
SELECT guild_id FROM kept WHERE guild_id > :after LIMIT :most;

-- name: gone(after, most)
SELECT guild_id, gone_since FROM gone_servers
 WHERE guild_id > :after ORDER BY guild_id LIMIT :most;

-- name: mark(guild_id, gone_since)!
INSERT INTO gone_servers (guild_id, gone_since) VALUES (:guild_id, :gone_since)
ON CONFLICT (guild_id) DO NOTHING;

-- name: forget_mark(guild_id)!
DELETE FROM gone_servers WHERE guild_id = :guild_id;
