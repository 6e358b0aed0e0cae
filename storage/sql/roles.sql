-- name: add(guild_id, kind, role_id, created_by, takes_away, catalog_id, item_id, item_name)
-- Nothing, if there is such a rule.
INSERT INTO role_rules (guild_id, kind, role_id, created_by, takes_away, catalog_id, item_id,
                        item_name)
VALUES (:guild_id, :kind, :role_id, :created_by, :takes_away, :catalog_id, :item_id, :item_name)
ON CONFLICT DO NOTHING
RETURNING *;

-- name: look_anew(guild_id)!
UPDATE member_servers SET looked_at = NULL WHERE guild_id = :guild_id;

-- name: find(id)^
SELECT * FROM role_rules WHERE id = :id;

-- name: of_guild(guild_id)
SELECT * FROM role_rules WHERE guild_id = :guild_id ORDER BY id;

-- name: for_member(member_id, used_since, here)
-- Of the servers in which the member uses Kiosk, or has a role from it. That they use it `here` may
-- not be noted yet.
SELECT * FROM role_rules
 WHERE guild_id IN (SELECT guild_id FROM member_servers
                     WHERE member_id = :member_id AND used_at >= :used_since
                    UNION SELECT guild_id FROM messages WHERE about_member = :member_id
                    UNION SELECT CAST(:here AS BIGINT))
 ORDER BY id;

-- name: switch(id, takes_away)!
UPDATE role_rules SET takes_away = :takes_away WHERE id = :id AND takes_away <> :takes_away;

-- name: remove(id)!
DELETE FROM role_rules WHERE id = :id;

-- name: token_key(member_id)^
SELECT token_key FROM links WHERE member_id = :member_id;

-- name: had_by(member_id)
-- What Discord has, or is to be given.
SELECT * FROM messages
 WHERE about_member = :member_id AND is_wanted AND state <> 'dropped'
 ORDER BY id;

-- name: given_before(guild_id, member_id, joined_at)
-- What Discord took away if the member joined the server since then, and a rule still gives.
SELECT role_id FROM messages
 WHERE about_member = :member_id AND guild_id = :guild_id AND is_wanted AND due_at IS NULL
   AND (message_id IS NOT NULL OR had_already) AND settled_at < :joined_at
   AND EXISTS (SELECT 1 FROM role_rules
                WHERE role_rules.guild_id = messages.guild_id
                  AND role_rules.role_id = messages.role_id);

-- name: lost(member_id)
-- What is to be taken from a member about whom nothing is kept or, without one, from all who aren't
-- linked.
SELECT key FROM messages
 WHERE about_member IS NOT NULL AND is_wanted AND state <> 'dropped'
   AND about_member IN (
        SELECT CAST(:member_id AS BIGINT)
        UNION ALL
        SELECT others.about_member FROM messages AS others
         WHERE CAST(:member_id AS BIGINT) IS NULL AND others.about_member IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM links WHERE links.member_id = others.about_member))
   AND EXISTS (SELECT 1 FROM role_rules
                WHERE role_rules.guild_id = messages.guild_id
                  AND role_rules.role_id = messages.role_id AND takes_away)
   AND NOT EXISTS (SELECT 1 FROM role_rules
                    WHERE role_rules.guild_id = messages.guild_id
                      AND role_rules.role_id = messages.role_id AND NOT takes_away);

-- name: had(guild_id, role_id)
SELECT * FROM messages
 WHERE guild_id = :guild_id AND role_id = :role_id AND is_wanted AND state <> 'dropped';

-- name: refusal(guild_id, role_id)^
SELECT refusal FROM role_rules
 WHERE guild_id = :guild_id AND role_id = :role_id AND refusal IS NOT NULL LIMIT 1;

-- name: accept(guild_id, role_id)!
UPDATE role_rules SET refusal = NULL, refused_at = NULL
 WHERE guild_id = :guild_id AND role_id = :role_id AND refusal IS NOT NULL;

-- name: refuse(guild_id, role_id, refusal, refused_at)!
UPDATE role_rules SET refusal = :refusal, refused_at = :refused_at
 WHERE guild_id = :guild_id AND role_id = :role_id;

-- name: refused(refused_before)
SELECT * FROM role_rules WHERE refused_at < :refused_before;

-- name: due_members(looked_before, used_since, most)
-- Those of new rules first, then those who wait longest.
SELECT member_id FROM member_servers
 WHERE guild_id IN (SELECT guild_id FROM role_rules)
   AND (looked_at IS NULL OR looked_at < :looked_before) AND used_at >= :used_since
 GROUP BY member_id
 ORDER BY MIN(COALESCE(looked_at, 0)) LIMIT :most;

-- name: note_look(member_id, looked_at)!
UPDATE member_servers SET looked_at = :looked_at WHERE member_id = :member_id;
