-- name: count(member_id)^
SELECT COUNT(*) AS count FROM watches WHERE member_id = :member_id;

-- name: add(member_id, catalog_id, key, named_in, item_id, name, type_id, type_name, max_cost, is_clearance, locale, created_at)^
INSERT INTO watches (
    member_id, catalog_id, key, named_in, item_id, name, type_id, type_name, max_cost,
    is_clearance, locale, created_at)
VALUES (
    :member_id, :catalog_id, :key, :named_in, :item_id, :name, :type_id, :type_name, :max_cost,
    CAST(:is_clearance AS BOOLEAN), :locale, :created_at)
ON CONFLICT (member_id, catalog_id, key) DO UPDATE SET locale = excluded.locale
RETURNING *;

-- name: of_member(member_id)
SELECT * FROM watches WHERE member_id = :member_id ORDER BY id;

-- name: of_catalog(catalog_id)
SELECT * FROM watches WHERE catalog_id = :catalog_id ORDER BY id;

-- name: watchers(catalog_id, most)
-- Those who came last: their links work most likely.
SELECT member_id FROM watches
 WHERE catalog_id = :catalog_id
 GROUP BY member_id
 ORDER BY MAX(id) DESC
 LIMIT :most;

-- name: remove(watch_id, member_id)^
DELETE FROM watches WHERE id = :watch_id AND member_id = :member_id RETURNING *;

-- name: note(watch_id, event_id, created_at)!
-- Nothing, where the watch has ended since it was read.
INSERT INTO watch_notices (watch_id, event_id, member_id, created_at)
SELECT id, CAST(:event_id AS BIGINT), member_id, CAST(:created_at AS BIGINT)
  FROM watches WHERE id = :watch_id
ON CONFLICT (watch_id, event_id) DO NOTHING;

-- name: assign(member_id, delivery)!
-- All that waits goes into one message.
UPDATE watch_notices SET delivery = :delivery
 WHERE member_id = :member_id AND delivery IS NULL;

-- name: to_assign(member_id, delivery)^
-- Nothing, where all is told already or the message is made.
SELECT 1 AS found FROM watch_notices
 WHERE member_id = :member_id AND delivery IS NULL
   AND NOT EXISTS (SELECT 1 FROM watch_notices AS told WHERE told.delivery = :delivery)
 LIMIT 1;

-- name: told_in(delivery)
SELECT watch_notices.watch_id, catalog_events.*
  FROM watch_notices JOIN catalog_events ON catalog_events.id = watch_notices.event_id
 WHERE watch_notices.delivery = :delivery
 ORDER BY catalog_events.id, watch_notices.watch_id;

-- name: watches_in(delivery)
SELECT * FROM watches
 WHERE id IN (SELECT watch_id FROM watch_notices WHERE delivery = :delivery);

-- name: last_told(member_id, kind)^
SELECT MAX(settled_at) AS told_at FROM messages
 WHERE member_id = :member_id AND kind = :kind AND state IN ('sent', 'refused', 'unknown');
