-- name: of_server(guild_id)
SELECT id, channel_id FROM shown_messages
 WHERE guild_id = :guild_id AND message_id IS NOT NULL
 ORDER BY id DESC;

-- name: find(shown_id)
SELECT guild_id, channel_id, message_id, comment_id, player_id, below, line
  FROM shown_messages JOIN shown_comments ON shown_id = id
 WHERE id = :shown_id AND message_id IS NOT NULL;
