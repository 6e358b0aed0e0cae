-- name: expect(guild_id, channel_id, created_at)^
INSERT INTO shown_messages (guild_id, channel_id, created_at)
VALUES (:guild_id, :channel_id, :created_at)
RETURNING id;

-- name: add_comment(shown_id, comment_id)!
INSERT INTO shown_comments (shown_id, comment_id) VALUES (:shown_id, :comment_id);

-- name: complete(shown_id, message_id)!
UPDATE shown_messages SET message_id = :message_id WHERE id = :shown_id;

-- name: forget(message_id)!
DELETE FROM shown_messages WHERE message_id = :message_id;

-- name: showing(guild_id, comment_id)
SELECT channel_id, message_id
  FROM shown_messages JOIN shown_comments ON shown_id = id
 WHERE guild_id = :guild_id AND comment_id = :comment_id
 ORDER BY id DESC;
