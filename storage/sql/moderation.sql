-- name: lock(guild_id)!
INSERT INTO moderation (guild_id) VALUES (:guild_id)
ON CONFLICT (guild_id) DO UPDATE SET guild_id = excluded.guild_id;

-- name: find(guild_id)^
SELECT * FROM moderation WHERE guild_id = :guild_id;

-- name: save(guild_id, moderator_role_id, log_channel_id, log_is_closed, reasons, needs_reason, kept_days, locale, mutes_repeated, tells_writers)!
-- Its row is there: it was locked.
UPDATE moderation
   SET moderator_role_id = :moderator_role_id, log_channel_id = :log_channel_id,
       log_is_closed = :log_is_closed, reasons = :reasons, needs_reason = :needs_reason,
       kept_days = :kept_days, locale = :locale, mutes_repeated = :mutes_repeated,
       tells_writers = :tells_writers
 WHERE guild_id = :guild_id;

-- name: stale(guild_id)
-- Cards in the log that Discord refused to change when something of their cases did.
SELECT key FROM messages
 WHERE guild_id = :guild_id AND kind = 'case' AND state = 'refused' AND message_id IS NOT NULL
   AND channel_id = (SELECT log_channel_id FROM moderation WHERE guild_id = :guild_id);

-- name: set_gone(comment_id, is_gone)
UPDATE cases SET is_gone = :is_gone
 WHERE comment_id = :comment_id AND is_gone <> :is_gone AND dismissed_at IS NULL
RETURNING id, guild_id;

-- name: add_line(guild_id, member_id, what, case_id, detail, created_at)^
INSERT INTO log_lines (guild_id, member_id, what, case_id, detail, created_at)
VALUES (:guild_id, :member_id, :what, :case_id, :detail, :created_at)
RETURNING id;

-- name: watched(guild_id)^
SELECT words FROM watched WHERE guild_id = :guild_id;
