-- name: watched(guild_id)^
SELECT words FROM watched WHERE guild_id = :guild_id;

-- name: save(guild_id, words)!
INSERT INTO watched (guild_id, words) VALUES (:guild_id, :words)
ON CONFLICT (guild_id) DO UPDATE SET words = excluded.words;
