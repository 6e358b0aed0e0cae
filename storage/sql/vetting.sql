-- name: watched(guild_id)^
SELECT words, automod FROM watched WHERE guild_id = :guild_id;

-- name: save(guild_id, words, automod, read_at)!
INSERT INTO watched (guild_id, words, automod, read_at)
VALUES (:guild_id, :words, :automod, :read_at)
ON CONFLICT (guild_id) DO UPDATE
   SET words = excluded.words, automod = excluded.automod, read_at = excluded.read_at;

-- name: due(before, most)
SELECT guild_id FROM watched
 WHERE automod IS NOT NULL AND (read_at IS NULL OR read_at < :before)
 ORDER BY COALESCE(read_at, 0)
 LIMIT :most;
