-- name: gather(removal_id, guild_id, comment_id, player_id)!
-- What shows a comment, or anything by a player; the other is NULL.
INSERT INTO removed_messages (removal_id, shown_id, channel_id, message_id)
SELECT DISTINCT CAST(:removal_id AS BIGINT), id, channel_id, message_id
  FROM shown_comments JOIN shown_messages ON id = shown_id
 WHERE (comment_id = :comment_id OR player_id = :player_id) AND guild_id = :guild_id;

-- name: newest_first(removal_id)
SELECT * FROM removed_messages WHERE removal_id = :removal_id ORDER BY shown_id DESC;

-- name: complete(shown_id, message_id, channel_id)
-- A message that turns up after its removal waits again.
UPDATE removed_messages
   SET message_id = :message_id, channel_id = COALESCE(:channel_id, channel_id), outcome = NULL
 WHERE shown_id = :shown_id AND message_id IS NULL
   AND EXISTS (SELECT 1 FROM removals
                WHERE removals.id = removed_messages.removal_id AND removals.ended_at IS NULL)
RETURNING *;

-- name: note(removal_id, shown_id, outcome)!
UPDATE removed_messages SET outcome = :outcome
 WHERE removal_id = :removal_id AND shown_id = :shown_id AND outcome IS NULL;

-- name: drop(removal_id, outcome)!
UPDATE removed_messages SET outcome = :outcome
 WHERE removal_id = :removal_id AND outcome IS NULL;

-- name: forget_message(shown_id)!
DELETE FROM shown_messages WHERE id = :shown_id;

-- name: forget_comments(shown_id)!
DELETE FROM shown_comments WHERE shown_id = :shown_id;

-- name: find(removal_id, shown_id)^
SELECT removed_messages.*, removals.locale, ended_at IS NOT NULL AS is_restored, removals.guild_id
  FROM removed_messages
  JOIN removals ON removals.id = removal_id
 WHERE removal_id = :removal_id AND shown_id = :shown_id;

-- name: contents(shown_id, now)
-- Each comment's cases by their index, not all of its server.
SELECT shown_comments.comment_id, below, line, (
       SELECT COUNT(*) FROM cases JOIN removals ON case_id = cases.id
        WHERE cases.guild_id = shown_messages.guild_id
          AND subject IN ('comment ' || shown_comments.comment_id,
                          'player ' || shown_comments.player_id)
          AND ended_at IS NULL AND (until IS NULL OR until > :now)) > 0 AS is_hidden
  FROM shown_comments JOIN shown_messages ON shown_messages.id = shown_id
 WHERE shown_id = :shown_id;

-- name: outcomes(removal_id)
SELECT outcome, COUNT(*) AS messages FROM removed_messages
 WHERE removal_id = :removal_id GROUP BY outcome;

-- name: waiting(removal_id, old)
-- What waits in this removal's channels, and goes before the last of it or is it.
SELECT channel_id, COUNT(*) AS messages,
       SUM(CASE WHEN message_id < :old THEN 1 ELSE 0 END) AS old
  FROM removed_messages
 WHERE outcome IS NULL AND removal_id <= :removal_id
   AND channel_id IN (SELECT channel_id FROM removed_messages
                       WHERE removal_id = :removal_id AND outcome IS NULL)
 GROUP BY channel_id;

-- name: unreached(removal_id, most)
SELECT channel_id, message_id, outcome FROM removed_messages
 WHERE removal_id = :removal_id AND outcome NOT IN ('deleted', 'edited', 'dropped')
 ORDER BY shown_id DESC LIMIT :most;

-- name: posted_at(shown_id)^
SELECT created_at FROM shown_messages WHERE id = :shown_id;

-- name: known_ids(channel_id, first, last)
SELECT message_id FROM shown_messages
 WHERE channel_id = :channel_id AND message_id BETWEEN :first AND :last;
