-- name: expect(guild_id, channel_id, created_at)^
INSERT INTO shown_messages (guild_id, channel_id, created_at)
VALUES (:guild_id, :channel_id, :created_at)
RETURNING id;

-- name: add_comment(shown_id, comment_id, player_id, below, line)!
INSERT INTO shown_comments (shown_id, comment_id, player_id, below, line)
VALUES (:shown_id, :comment_id, :player_id, :below, :line);

-- name: shown_in(message_id)
SELECT comment_id FROM shown_comments JOIN shown_messages ON id = shown_id
 WHERE message_id = :message_id AND (line IS NULL OR line >= 0)
 ORDER BY comment_id DESC;

-- name: has_shown(guild_id, comment_id)^
SELECT 1 AS found FROM shown_comments JOIN shown_messages ON id = shown_id
 WHERE comment_id = :comment_id AND guild_id = :guild_id
 LIMIT 1;

-- name: complete(shown_id, message_id, channel_id)!
UPDATE shown_messages
   SET message_id = :message_id, channel_id = COALESCE(:channel_id, channel_id)
 WHERE id = :shown_id;

-- name: forget(message_id)!
DELETE FROM shown_messages WHERE message_id = :message_id;

-- name: is_hidden(guild_id, comment_id, player_id, now)^
SELECT 1 AS found
  FROM cases JOIN removals ON case_id = cases.id
 WHERE cases.guild_id = :guild_id AND ended_at IS NULL AND (until IS NULL OR until > :now)
   AND subject IN ('comment ' || :comment_id, 'player ' || :player_id);
