-- name: note(guild_id, member_id, used_at)!
INSERT INTO member_servers (guild_id, member_id, used_at) VALUES (:guild_id, :member_id, :used_at)
ON CONFLICT (member_id, guild_id) DO UPDATE SET used_at = excluded.used_at;

-- name: of_member(member_id, most)
SELECT guild_id FROM member_servers
 WHERE member_id = :member_id
 ORDER BY used_at DESC
 LIMIT :most;
