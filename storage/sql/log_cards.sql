-- name: want(case_id)^
-- A card stays in the channel where it is. Where there is no log channel, none is owed.
UPDATE cases
   SET log_version = log_version + 1,
       log_channel_id = CASE WHEN log_message_id IS NULL THEN
           (SELECT moderation.log_channel_id FROM moderation
             WHERE moderation.guild_id = cases.guild_id)
           ELSE log_channel_id END
 WHERE id = :case_id
   AND (log_message_id IS NOT NULL
        OR EXISTS (SELECT 1 FROM moderation
                    WHERE moderation.guild_id = cases.guild_id
                      AND moderation.log_channel_id IS NOT NULL))
RETURNING log_version, log_channel_id;

-- name: message(case_id)^
SELECT log_message_id FROM cases WHERE id = :case_id;

-- name: keep_message(case_id, message_id)!
UPDATE cases SET log_message_id = :message_id
 WHERE id = :case_id AND (log_message_id IS NULL OR log_message_id <> :message_id);

-- name: forget_message(case_id, channel_id, message_id)!
UPDATE cases SET log_message_id = NULL
 WHERE id = :case_id AND log_channel_id = :channel_id AND log_message_id = :message_id;

-- name: leave(case_id, channel_id)!
-- Where another channel is the log by now.
UPDATE cases SET log_message_id = NULL
 WHERE id = :case_id AND log_channel_id = :channel_id AND log_message_id IS NOT NULL
   AND EXISTS (SELECT 1 FROM moderation
                WHERE moderation.guild_id = cases.guild_id
                  AND moderation.log_channel_id <> :channel_id);

-- name: undecided(guild_id, most)
-- Those that need looking at and have no card in the log: its channel may be gone.
SELECT id FROM cases
 WHERE guild_id = :guild_id AND dismissed_at IS NULL
   AND (log_message_id IS NULL
        OR log_channel_id <> (SELECT moderation.log_channel_id FROM moderation
                               WHERE moderation.guild_id = :guild_id))
   AND (EXISTS (SELECT 1 FROM reports WHERE case_id = cases.id)
        OR (hit_text_key IS NOT NULL
            AND (released_text_key IS NULL OR released_text_key <> hit_text_key)))
   AND NOT EXISTS (SELECT 1 FROM removals WHERE case_id = cases.id AND ended_at IS NULL)
 ORDER BY touched_at DESC
 LIMIT :most;

-- name: case_of(removal_id)^
SELECT case_id FROM removals WHERE id = :removal_id;

-- name: lately(guild_id, since, most)
SELECT id FROM cases
 WHERE guild_id = :guild_id AND touched_at > :since AND hit_text_key IS NOT NULL
   AND log_version > 0
 ORDER BY touched_at DESC
 LIMIT :most;

-- name: without_card(guild_id, most)
-- What is removed is decided.
SELECT id FROM cases
 WHERE guild_id = :guild_id AND hit_text_key IS NOT NULL AND log_version = 0
   AND NOT EXISTS (SELECT 1 FROM removals WHERE case_id = cases.id AND ended_at IS NULL)
 ORDER BY id
 LIMIT :most;

-- name: log_channel(guild_id)^
SELECT log_channel_id FROM moderation WHERE guild_id = :guild_id;
