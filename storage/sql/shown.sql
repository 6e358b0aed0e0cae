-- name: free_stale(key, stale)!
-- A crash came before Discord's answer. What may have been posted is still known by its row.
UPDATE messages SET key = key || ' ' || id
 WHERE key = :key AND message_id IS NULL AND wanted_at < :stale;

-- name: begin(key, guild_id, channel_id, now, kept_until)^
-- Nothing, where it was posted or is being posted. It is never due: whoever began posts it.
INSERT INTO messages (kind, key, priority, guild_id, channel_id, lane, payload, stays, wanted_at,
                      state, kept_until)
VALUES ('shared', :key, 1, :guild_id, :channel_id, 0, '{}', TRUE, :now, 'unknown', :kept_until)
ON CONFLICT (key) DO NOTHING
RETURNING id;

-- name: free(id)!
UPDATE messages SET key = key || ' ' || id WHERE id = :id;

-- name: forget_comments(shown_id)!
DELETE FROM message_comments WHERE shown_id = :shown_id;

-- name: add_comment(shown_id, comment_id, player_id, part, line)!
INSERT INTO message_comments (shown_id, comment_id, player_id, part, line)
VALUES (:shown_id, :comment_id, :player_id, :part, :line);

-- name: contents(shown_id, now)
-- Each comment's cases by their index, not all of its server.
SELECT message_comments.*, (
       SELECT COUNT(*) FROM cases JOIN removals ON case_id = cases.id
        WHERE cases.guild_id = messages.guild_id
          AND subject IN ('comment ' || message_comments.comment_id,
                          'player ' || message_comments.player_id)
          AND ended_at IS NULL AND (until IS NULL OR until > :now)) > 0 AS is_hidden
  FROM message_comments JOIN messages ON messages.id = message_comments.shown_id
 WHERE message_comments.shown_id = :shown_id
 ORDER BY part, line;

-- name: place(id, channel_id, kept_until)!
-- What is due is kept as its settling says.
UPDATE messages
   SET channel_id = :channel_id,
       kept_until = CASE WHEN due_at IS NULL THEN CAST(:kept_until AS BIGINT) END
 WHERE id = :id;

-- name: complete(id, message_id, channel_id)!
UPDATE messages
   SET message_id = :message_id, channel_id = COALESCE(:channel_id, channel_id),
       state = CASE WHEN due_at IS NULL THEN 'sent' ELSE state END
 WHERE id = :id;

-- name: removals_of(shown_id)
SELECT removal_id, case_id, shown_id, messages.guild_id, channel_id
  FROM messages JOIN removals ON removals.id = removal_id
 WHERE shown_id = :shown_id AND ended_at IS NULL;

-- name: find(id)^
-- What the worker posts may wait long for its first try.
SELECT messages.*, COALESCE(attempted_at, wanted_at) AS posted_at FROM messages WHERE id = :id;

-- name: forget(message_id)!
DELETE FROM messages WHERE message_id = :message_id AND kind = 'shared';

-- name: shown_in(message_id)
SELECT message_comments.* FROM message_comments JOIN messages ON id = message_comments.shown_id
 WHERE message_id = :message_id AND line >= 0
 ORDER BY comment_id DESC;

-- name: known_ids(channel_id, first, last)
SELECT message_id FROM messages
 WHERE channel_id = :channel_id AND message_id BETWEEN :first AND :last;

-- name: showing(guild_id, comment_id, player_id)
-- What shows a comment, or something by a player.
SELECT DISTINCT message_comments.shown_id, guild_id, channel_id, message_id
  FROM message_comments JOIN messages ON id = message_comments.shown_id
 WHERE (comment_id = :comment_id OR player_id = :player_id)
   AND guild_id = :guild_id
 ORDER BY message_comments.shown_id DESC;

-- name: states(removal_id)
-- 1.0.0 dropped what somebody had deleted before.
SELECT state, COUNT(*) AS messages
  FROM (SELECT CASE WHEN reason = 'gone' THEN 'sent' ELSE state END AS state
          FROM messages WHERE removal_id = :removal_id) AS each
 GROUP BY state;

-- name: unreached(removal_id, most)
SELECT COALESCE(shown.channel_id, messages.channel_id) AS channel_id, shown.message_id,
       messages.reason
  FROM messages LEFT JOIN messages AS shown ON shown.id = messages.shown_id
 WHERE messages.removal_id = :removal_id AND messages.state NOT IN ('owed', 'sent')
   AND messages.reason <> 'gone'
 ORDER BY messages.shown_id DESC LIMIT :most;
