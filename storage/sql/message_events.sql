-- name: tell(subscription_id, event_id, message_key)!
-- Nothing, where the subscription has ended since it was read. What was told is not told again;
-- what was refused may be, in another message.
INSERT INTO message_events (subscription_id, event_id, message_key)
SELECT id, CAST(:event_id AS BIGINT), CAST(:message_key AS TEXT)
  FROM subscriptions WHERE id = :subscription_id
ON CONFLICT (subscription_id, event_id) DO UPDATE SET message_key = excluded.message_key
 WHERE (SELECT state FROM messages WHERE key = message_events.message_key)
       IN ('refused', 'dropped');

-- name: gather(message_key, subscription_id, member_id)!
-- What waits in other messages for the same subscription or member goes into this one.
UPDATE message_events SET message_key = :message_key
 WHERE subscription_id IN (SELECT id FROM subscriptions
                            WHERE id = :subscription_id OR member_id = :member_id)
   AND EXISTS (SELECT 1 FROM messages
                WHERE key = message_events.message_key AND due_at IS NOT NULL
                  AND attempted_at IS NULL);

-- name: events_of(message_key)
SELECT subscription_id, events.*
  FROM message_events JOIN events ON events.id = event_id
 WHERE message_key = :message_key
 ORDER BY events.id, subscription_id;

-- name: not_told(subscription_id, catalog_id, after)
-- Events after one, but those that were told, may have been, or still are to be.
SELECT * FROM events
 WHERE catalog_id = :catalog_id AND id > :after
   AND NOT EXISTS (
    SELECT 1 FROM message_events JOIN messages ON key = message_key
     WHERE subscription_id = :subscription_id AND event_id = events.id
       AND state NOT IN ('refused', 'dropped'))
 ORDER BY id;

-- name: of_item(catalog_id, item_id, most)
SELECT * FROM events WHERE catalog_id = :catalog_id AND item_id = :item_id
 ORDER BY id DESC
 LIMIT :most;

-- name: became(event_id)
SELECT subscription_id, state, settled_at, reason, due_at
  FROM message_events JOIN messages ON key = message_key
 WHERE event_id = :event_id;

-- name: last_told(member_id, kind)^
SELECT MAX(settled_at) AS told_at FROM messages
 WHERE member_id = :member_id AND kind = :kind AND state IN ('sent', 'refused', 'unknown');

-- name: standing(thread_id, comment_id)
-- Not where the channel refused it, or it was not posted while that was paused.
SELECT subscriptions.id AS subscription_id
  FROM subscriptions
  JOIN messages
    ON messages.key = 'follow:' || subscriptions.id || ':' || CAST(:comment_id AS TEXT)
 WHERE subscriptions.kind = 'thread' AND subscriptions.game_id = :thread_id
   AND (message_id IS NOT NULL OR state NOT IN ('refused', 'dropped'));
