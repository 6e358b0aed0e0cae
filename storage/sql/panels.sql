-- name: stale(rested, now, week)
-- Panels that are as they were before something came to what their server follows, or before it
-- followed that, or before a new item was a week old.
SELECT key FROM messages
 WHERE kind = 'panel' AND is_wanted AND message_id IS NOT NULL AND due_at IS NULL
   AND wanted_at <= :rested
   AND EXISTS (
    SELECT 1 FROM subscriptions
      JOIN followed
        ON followed.kind = subscriptions.kind AND followed.place_id = subscriptions.place_id
     WHERE subscriptions.guild_id = messages.guild_id
       AND (changed_at > wanted_at AND followed.kind = 'thread' OR created_at > wanted_at
            OR EXISTS (
               SELECT 1 FROM events
                WHERE events.kind = followed.kind AND events.place_id = followed.place_id
                  AND happened_at > wanted_at AND happened_at <= :now)
            OR EXISTS (
               SELECT 1 FROM events
                WHERE events.kind = followed.kind AND events.place_id = followed.place_id
                  AND happened_at BETWEEN wanted_at - :week AND :now - :week)));
