-- name: lock(guild_id)!
INSERT INTO moderation (guild_id) VALUES (:guild_id)
ON CONFLICT (guild_id) DO UPDATE SET guild_id = excluded.guild_id;

-- name: find(guild_id)^
SELECT * FROM moderation WHERE guild_id = :guild_id;

-- name: save(guild_id, moderator_role_id, log_channel_id, reasons, needs_reason, kept_days)!
INSERT INTO moderation
       (guild_id, moderator_role_id, log_channel_id, reasons, needs_reason, kept_days)
VALUES (:guild_id, :moderator_role_id, :log_channel_id, :reasons, :needs_reason, :kept_days)
ON CONFLICT (guild_id) DO UPDATE
   SET moderator_role_id = excluded.moderator_role_id,
       log_channel_id = excluded.log_channel_id,
       log_is_closed = moderation.log_is_closed
           AND moderation.log_channel_id = excluded.log_channel_id,
       reasons = excluded.reasons,
       needs_reason = excluded.needs_reason,
       kept_days = excluded.kept_days;

-- name: save_log_state(channel_id, is_closed)^
UPDATE moderation SET log_is_closed = :is_closed
 WHERE log_channel_id = :channel_id AND log_is_closed <> :is_closed
RETURNING guild_id;
