-- name: tell(subscription_id, event_id, message_key)!
-- Nothing, if the subscription has ended since it was read. What was sent is not sent again. What
-- was refused may be, in another message.
INSERT INTO message_events (subscription_id, event_id, message_key)
SELECT id, CAST(:event_id AS BIGINT), CAST(:message_key AS TEXT)
  FROM subscriptions WHERE id = :subscription_id
ON CONFLICT (subscription_id, event_id) DO UPDATE SET message_key = excluded.message_key
 WHERE EXISTS (SELECT 1 FROM messages
                WHERE key = message_events.message_key AND state IN ('refused', 'dropped')
                  AND message_id IS NULL AND is_wanted);

-- name: gather(message_key, subscription_id)!
UPDATE message_events SET message_key = :message_key
 WHERE subscription_id = :subscription_id
   AND EXISTS (SELECT 1 FROM messages
                WHERE key = message_events.message_key AND due_at IS NOT NULL
                  AND attempted_at IS NULL AND message_id IS NULL);

-- name: events_of(message_key)
SELECT events.*
  FROM message_events JOIN events ON events.id = event_id
 WHERE message_key = :message_key
 ORDER BY events.id, subscription_id;

-- name: telling(kind, place_id, subject_id)
SELECT DISTINCT message_key FROM message_events JOIN events ON events.id = event_id
 WHERE kind = :kind AND place_id = :place_id AND subject_id = :subject_id;

-- name: missed_events(subscription_id, kind, place_id, after)
-- Events after one, except those that were sent, may have been, or still are to be, and those that
-- were sent and then deleted.
SELECT * FROM events
 WHERE kind = :kind AND place_id = :place_id AND id > :after
   AND NOT EXISTS (
    SELECT 1 FROM message_events JOIN messages ON key = message_key
     WHERE subscription_id = :subscription_id AND event_id = events.id
       AND (state NOT IN ('refused', 'dropped') OR message_id IS NOT NULL OR NOT is_wanted))
 ORDER BY id;

-- name: missed_comments(subscription_id, kind, place_id, after)
SELECT seen.state FROM seen
 WHERE kind = :kind AND place_id = :place_id AND subject_id > :after
   AND NOT EXISTS (
    SELECT 1 FROM messages
     WHERE key = 'follow:' || CAST(:subscription_id AS TEXT) || ':' || subject_id
       AND messages.state NOT IN ('refused', 'dropped'))
 ORDER BY subject_id;

-- name: told_in(message_id, kind, place_id, subject_id)
SELECT events.* FROM messages
  JOIN message_events ON message_key = key
  JOIN events ON events.id = event_id
 WHERE message_id = :message_id AND events.kind = :kind AND place_id = :place_id
   AND subject_id = :subject_id
 ORDER BY events.id DESC
 LIMIT 1;

-- name: count_news(guild_id, pattern, since)
-- By catalog, for how many items a server was to get such news.
SELECT place_id, COUNT(DISTINCT subject_id) AS count FROM events
 WHERE kind = 'catalog' AND happened_at > :since AND news LIKE :pattern
   AND place_id IN (SELECT place_id FROM subscriptions
                     WHERE guild_id = :guild_id AND kind = 'catalog')
 GROUP BY place_id;

-- name: history(guild_id, kind, subscription_id, subject_id, most)
-- Of all announcements of a server, or of one, and of all subjects, or of one.
SELECT * FROM events
 WHERE kind = :kind
   AND place_id IN (SELECT place_id FROM subscriptions
                     WHERE guild_id = :guild_id AND kind = :kind
                       AND (id = :subscription_id OR CAST(:subscription_id AS BIGINT) IS NULL))
   AND (subject_id = :subject_id OR CAST(:subject_id AS BIGINT) IS NULL)
 ORDER BY id DESC
 LIMIT :most;

-- name: last_comments(subscription_id, kind, place_id, most)
SELECT seen.state AS seen, messages.state AS state, settled_at, messages.reason AS reason, due_at,
       key, message_id, is_wanted,
       removals.id IS NOT NULL AND messages.state = 'dropped' AS is_removed,
       moderator_id AS removed_by
  FROM seen
  LEFT JOIN messages
    ON key = 'follow:' || CAST(:subscription_id AS TEXT) || ':' || subject_id
  LEFT JOIN removals ON removals.id = removal_id
 WHERE seen.kind = :kind AND place_id = :place_id
 ORDER BY subject_id DESC
 LIMIT :most;

-- name: taken(guild_id, comment_id)
-- The active subscriptions whose post of a comment a removal has taken, or is about to.
SELECT subscriptions.* FROM subscriptions
  JOIN messages
    ON messages.key = 'follow:' || subscriptions.id || ':' || CAST(:comment_id AS TEXT)
 WHERE subscriptions.guild_id = :guild_id AND subscriptions.kind = 'thread'
   AND stopped_at IS NULL AND removal_id IS NOT NULL AND NOT is_wanted
   AND messages.state IN ('owed', 'dropped')
 ORDER BY subscriptions.id;

-- name: of_event(event_id)
SELECT subscription_id, state, settled_at, reason, due_at, key, message_id, is_wanted,
       FALSE AS is_removed, NULL AS removed_by
  FROM message_events JOIN messages ON key = message_key
 WHERE event_id = :event_id;

-- name: message_of(subscription_id, event_id)^
SELECT messages.* FROM message_events JOIN messages ON key = message_key
 WHERE subscription_id = :subscription_id AND event_id = :event_id;

-- name: find_announced(subscription_id, newest_key)^
-- One message about news, or about the newest of what was there already.
SELECT id FROM messages WHERE key = :newest_key AND state NOT IN ('refused', 'dropped')
 UNION ALL
SELECT messages.id
  FROM message_events
  JOIN messages ON messages.key = message_events.message_key
 WHERE message_events.subscription_id = :subscription_id AND state NOT IN ('refused', 'dropped')
 LIMIT 1;

-- name: showing(thread_id, comment_id)
-- Not if the channel refused it, or it was not posted while that was paused.
SELECT subscriptions.id AS subscription_id
  FROM subscriptions
  JOIN messages
    ON messages.key = 'follow:' || subscriptions.id || ':' || CAST(:comment_id AS TEXT)
 WHERE subscriptions.kind = 'thread' AND subscriptions.place_id = :thread_id
   AND subscriptions.channel_id IS NOT NULL
   AND (message_id IS NOT NULL OR state NOT IN ('refused', 'dropped'));
