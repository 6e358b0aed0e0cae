-- name: of_member(member_id, kind)
SELECT * FROM subscriptions WHERE member_id = :member_id AND kind = :kind ORDER BY id;

-- name: gone_places(member_id)
-- The places of a member's watches that the game no longer has.
SELECT DISTINCT followed.kind, followed.place_id
  FROM subscriptions
  JOIN followed ON followed.kind = subscriptions.kind AND followed.place_id = subscriptions.place_id
 WHERE subscriptions.member_id = :member_id AND followed.gone_at IS NOT NULL;

-- name: gather(message_key, member_id)!
-- Of all that a member watches.
UPDATE message_events SET message_key = :message_key
 WHERE subscription_id IN (SELECT id FROM subscriptions WHERE member_id = :member_id)
   AND EXISTS (SELECT 1 FROM messages
                WHERE key = message_events.message_key AND due_at IS NOT NULL
                  AND attempted_at IS NULL AND message_id IS NULL);

-- name: notices(message_key)
SELECT subscription_id, is_counted, events.*
  FROM message_events JOIN events ON events.id = event_id
 WHERE message_key = :message_key
 ORDER BY events.id, subscription_id;

-- name: count_only(message_key, before)!
UPDATE message_events SET is_counted = TRUE
 WHERE message_key = :message_key
   AND EXISTS (SELECT 1 FROM events WHERE events.id = event_id AND happened_at < :before);

-- name: move(message_key, into, kind)!
UPDATE message_events SET message_key = :into
 WHERE message_key = :message_key
   AND EXISTS (SELECT 1 FROM events WHERE events.id = event_id AND kind = :kind);

-- name: unlooked(message_key)
SELECT subscription_id, events.*
  FROM message_events JOIN events ON events.id = event_id
 WHERE message_key = :message_key AND kind = 'catalog' AND NOT is_looked_at
 ORDER BY events.id, subscription_id;

-- name: note_looks(message_key)!
UPDATE message_events SET is_looked_at = TRUE WHERE message_key = :message_key;

-- name: leave_out(message_key, subscription_id, event_id)!
DELETE FROM message_events
 WHERE message_key = :message_key AND subscription_id = :subscription_id AND event_id = :event_id;

-- name: last_told(member_id, kind)^
-- Also one that is about to be edited.
SELECT MAX(settled_at) AS told_at FROM messages
 WHERE member_id = :member_id AND kind = :kind
   AND (state IN ('sent', 'refused', 'unknown') OR message_id IS NOT NULL);
