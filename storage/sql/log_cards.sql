-- name: want(case_id)^
-- A card stays in the channel where it is.
UPDATE cases
   SET log_version = log_version + 1,
       log_channel_id = CASE WHEN log_message_id IS NULL THEN
           (SELECT moderation.log_channel_id FROM moderation
             WHERE moderation.guild_id = cases.guild_id)
           ELSE log_channel_id END
 WHERE id = :case_id
RETURNING log_version, log_channel_id;

-- name: message(case_id)^
SELECT log_message_id FROM cases WHERE id = :case_id;

-- name: keep_message(case_id, message_id)!
UPDATE cases SET log_message_id = :message_id WHERE id = :case_id;

-- name: case_of(removal_id)^
SELECT case_id FROM removals WHERE id = :removal_id;

-- name: lately(guild_id, since, most)
SELECT id FROM cases
 WHERE guild_id = :guild_id AND touched_at > :since AND hit_text_key IS NOT NULL
   AND log_version > 0
 ORDER BY touched_at DESC
 LIMIT :most;

-- name: without_card(guild_id, most)
SELECT id FROM cases
 WHERE guild_id = :guild_id AND hit_text_key IS NOT NULL AND log_version = 0
 ORDER BY id
 LIMIT :most;

-- name: log_channel(guild_id)^
SELECT log_channel_id FROM moderation WHERE guild_id = :guild_id;
