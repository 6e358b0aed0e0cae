-- name: find(guild_id)^
SELECT channel_id, message_id, locale, version FROM panels WHERE guild_id = :guild_id;

-- name: place(guild_id, channel_id, locale)!
INSERT INTO panels (guild_id, channel_id, locale) VALUES (:guild_id, :channel_id, :locale)
ON CONFLICT (guild_id) DO UPDATE
   SET channel_id = excluded.channel_id, message_id = NULL, locale = excluded.locale;

-- name: want(guild_id)^
UPDATE panels SET version = version + 1 WHERE guild_id = :guild_id
RETURNING channel_id, version;

-- name: keep_message(guild_id, channel_id, message_id)!
UPDATE panels SET message_id = :message_id
 WHERE guild_id = :guild_id AND channel_id = :channel_id
   AND (message_id IS NULL OR message_id = :message_id);

-- name: remove(guild_id)!
DELETE FROM panels WHERE guild_id = :guild_id;

-- name: forget(guild_id, version, is_gone)!
-- One that may stand there still is kept.
DELETE FROM panels
 WHERE guild_id = :guild_id AND version = :version
   AND (message_id IS NULL OR CAST(:is_gone AS BOOLEAN));
