-- name: save(guild_id, kind, game_id, name, name_key)!
INSERT INTO names (guild_id, kind, game_id, name, name_key)
VALUES (:guild_id, :kind, :game_id, :name, :name_key)
ON CONFLICT (guild_id, kind, game_id) DO UPDATE
   SET name = excluded.name, name_key = excluded.name_key;

-- name: find(guild_id, kind, game_id)^
SELECT game_id, name FROM names
 WHERE guild_id = :guild_id AND kind = :kind AND game_id = :game_id;

-- name: remove(guild_id, kind, game_id)!
DELETE FROM names WHERE guild_id = :guild_id AND kind = :kind AND game_id = :game_id;

-- name: all_of_kind(guild_id, kind)
SELECT game_id, name FROM names
 WHERE guild_id = :guild_id AND kind = :kind
 ORDER BY name_key;

-- name: save_used(guild_id, member_id, used_at)!
INSERT INTO member_servers (guild_id, member_id, used_at) VALUES (:guild_id, :member_id, :used_at)
ON CONFLICT (member_id, guild_id) DO UPDATE SET used_at = excluded.used_at;

-- name: used_by(member_id, most)
SELECT guild_id FROM member_servers
 WHERE member_id = :member_id
 ORDER BY used_at DESC
 LIMIT :most;

-- name: first_named(kind)^
SELECT game_id FROM names WHERE kind = :kind ORDER BY game_id LIMIT 1;
