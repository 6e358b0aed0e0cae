-- name: forget_comments(shown_id)!
DELETE FROM message_comments WHERE shown_id = :shown_id;

-- name: add_comment(shown_id, comment_id, player_id, thread_id, is_quoted)!
INSERT INTO message_comments (shown_id, comment_id, player_id, thread_id, is_quoted)
VALUES (:shown_id, :comment_id, :player_id, :thread_id, :is_quoted)
ON CONFLICT (shown_id, comment_id) DO NOTHING;

-- name: is_hidden(shown_id, guild_id, now)^
-- Each comment's cases by their index, not all of its server.
SELECT 1
  FROM message_comments
  JOIN cases ON cases.guild_id = :guild_id
            AND subject IN ('comment ' || message_comments.comment_id,
                            'player ' || message_comments.player_id)
  JOIN removals ON case_id = cases.id
 WHERE shown_id = :shown_id AND ended_at IS NULL AND (until IS NULL OR until > :now)
 LIMIT 1;

-- name: shown_in(message_id)
SELECT message_comments.* FROM message_comments JOIN messages ON id = message_comments.shown_id
 WHERE message_id = :message_id AND NOT is_quoted
 ORDER BY comment_id DESC;

-- name: showing(guild_id, comment_id, player_id)
-- The messages that show a comment, or one by a player, and are to stay.
SELECT DISTINCT message_comments.shown_id, channel_id, message_id, thread_id
  FROM message_comments JOIN messages ON id = message_comments.shown_id
 WHERE (comment_id = :comment_id OR player_id = :player_id)
   AND guild_id = :guild_id AND message_id IS NOT NULL AND is_wanted
 ORDER BY message_comments.shown_id DESC;

-- name: comments_of(guild_id, player_id)
SELECT DISTINCT comment_id
  FROM message_comments JOIN messages ON id = message_comments.shown_id
 WHERE player_id = :player_id AND guild_id = :guild_id AND is_wanted;

-- name: states(removal_id)
SELECT state, COUNT(*) AS messages FROM messages WHERE removal_id = :removal_id GROUP BY state;

-- name: unreached(removal_id, most)
SELECT channel_id, message_id, COALESCE(reason, '') AS reason FROM messages
 WHERE removal_id = :removal_id AND state IN ('posting', 'refused', 'unknown')
 ORDER BY id DESC LIMIT :most;
