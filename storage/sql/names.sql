-- name: save(guild_id, kind, game_id, name, name_key)!
INSERT INTO names (guild_id, kind, game_id, name, name_key)
VALUES (:guild_id, :kind, :game_id, :name, :name_key)
ON CONFLICT (guild_id, kind, game_id) DO UPDATE
   SET name = excluded.name, name_key = excluded.name_key;

-- name: remove(guild_id, kind, game_id)!
DELETE FROM names WHERE guild_id = :guild_id AND kind = :kind AND game_id = :game_id;

-- name: all_of_kind(guild_id, kind)
SELECT game_id, name FROM names
 WHERE guild_id = :guild_id AND kind = :kind
 ORDER BY name_key;

-- name: find_by_key(guild_id, kind, name_key)^
SELECT game_id, name FROM names
 WHERE guild_id = :guild_id AND kind = :kind AND name_key = :name_key;

-- name: some_named(kind, most)
-- From one to the next by the index, however many servers name the same.
WITH RECURSIVE named (game_id) AS (
    SELECT (SELECT MIN(game_id) FROM names WHERE kind = :kind)
     UNION ALL
    SELECT (SELECT MIN(names.game_id) FROM names
             WHERE kind = :kind AND names.game_id > named.game_id)
      FROM named WHERE named.game_id IS NOT NULL)
SELECT game_id FROM named WHERE game_id IS NOT NULL LIMIT :most;
