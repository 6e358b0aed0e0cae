-- name: add(subscription_id, event_id, delivery)!
-- What was told is not owed again; what was refused may be, in another delivery.
INSERT INTO announcements (subscription_id, event_id, delivery, state)
VALUES (:subscription_id, :event_id, :delivery, 'owed')
ON CONFLICT (subscription_id, event_id) DO UPDATE
   SET delivery = excluded.delivery, state = 'owed', settled_at = NULL
 WHERE announcements.state IN ('refused', 'dropped');

-- name: settle(delivery, state, settled_at)!
UPDATE announcements SET state = :state, settled_at = :settled_at WHERE delivery = :delivery;

-- name: gather(subscription_id, delivery)!
-- What waits in other messages goes into this one.
UPDATE announcements SET delivery = :delivery
 WHERE subscription_id = :subscription_id
   AND state = 'owed'
   AND EXISTS (SELECT 1 FROM messages
                WHERE key = announcements.delivery AND due_at IS NOT NULL AND attempted_at IS NULL);

-- name: events_of(delivery)
SELECT catalog_events.*
  FROM announcements JOIN catalog_events ON catalog_events.id = announcements.event_id
 WHERE announcements.delivery = :delivery
 ORDER BY catalog_events.id;

-- name: not_told(subscription_id, catalog_id, after)
-- Events after one, but those that were told, may have been, or still are to be.
SELECT catalog_events.*
  FROM catalog_events
 WHERE catalog_id = :catalog_id AND id > :after
   AND NOT EXISTS (
    SELECT 1 FROM announcements
     WHERE subscription_id = :subscription_id AND event_id = catalog_events.id
       AND state NOT IN ('refused', 'dropped'))
 ORDER BY id;

-- name: of_item(guild_id, item_id, most)
-- The last events of an item, in the catalogs that a server follows.
SELECT * FROM catalog_events
 WHERE item_id = :item_id
   AND catalog_id IN (SELECT catalog_id FROM subscriptions WHERE guild_id = :guild_id)
 ORDER BY id DESC
 LIMIT :most;

-- name: of_events(guild_id, first, last)
SELECT announcements.*, messages.reason, messages.due_at
  FROM announcements
  JOIN subscriptions ON subscriptions.id = announcements.subscription_id
  LEFT JOIN messages ON messages.key = announcements.delivery AND messages.due_at IS NOT NULL
 WHERE subscriptions.guild_id = :guild_id AND event_id BETWEEN :first AND :last;

-- name: catalogs(guild_id)
SELECT DISTINCT catalog_id FROM subscriptions WHERE guild_id = :guild_id;

-- name: seen_named(catalog_id, pattern, item_id, most)
-- Items of a catalog whose name holds this, or of this number.
SELECT * FROM seen_items
 WHERE catalog_id = :catalog_id AND (name_key LIKE :pattern OR item_id = :item_id)
 ORDER BY name
 LIMIT :most;
