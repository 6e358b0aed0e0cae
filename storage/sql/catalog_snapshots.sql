-- name: followed()
-- Those that are wished for: of a member or a server that was forgotten, only its wishes go.
SELECT * FROM followed_catalogs
 WHERE catalog_id IN (SELECT catalog_id FROM subscriptions UNION SELECT catalog_id FROM watches)
 ORDER BY catalog_id;

-- name: find(catalog_id)^
SELECT * FROM followed_catalogs WHERE catalog_id = :catalog_id;

-- name: seen(catalog_id)
SELECT * FROM seen_items WHERE catalog_id = :catalog_id;

-- name: begin(catalog_id, followed_at, version, read_at)!
-- Changes no row where others have written meanwhile.
UPDATE followed_catalogs
   SET version = version + 1, read_at = :read_at
 WHERE catalog_id = :catalog_id AND followed_at = :followed_at AND version = :version;

-- name: note_read(catalog_id, read_at)!
UPDATE followed_catalogs
   SET read_at = :read_at, failing_since = NULL, failures = 0, failure = NULL
 WHERE catalog_id = :catalog_id;

-- name: note_failure(catalog_id, failed_at, failure)!
UPDATE followed_catalogs
   SET failing_since = COALESCE(failing_since, :failed_at),
       failed_at = :failed_at,
       failures = failures + 1,
       failure = :failure
 WHERE catalog_id = :catalog_id;

-- name: keep_item(catalog_id, item_id, name, name_key, cost, currency_id, is_clearance, is_member_item, base_cost, first_seen_at, risen_at, clearance_ended_at, gone_at)!
INSERT INTO seen_items (
    catalog_id, item_id, name, name_key, cost, currency_id, is_clearance, is_member_item,
    base_cost, first_seen_at, risen_at, clearance_ended_at, gone_at)
VALUES (
    :catalog_id, :item_id, :name, :name_key, :cost, :currency_id,
    CAST(:is_clearance AS BOOLEAN), CAST(:is_member_item AS BOOLEAN), :base_cost, :first_seen_at, :risen_at, :clearance_ended_at,
    :gone_at)
ON CONFLICT (catalog_id, item_id) DO UPDATE
   SET name = excluded.name, name_key = excluded.name_key, cost = excluded.cost,
       currency_id = excluded.currency_id,
       is_clearance = excluded.is_clearance, is_member_item = excluded.is_member_item,
       base_cost = excluded.base_cost, risen_at = excluded.risen_at,
       clearance_ended_at = excluded.clearance_ended_at, gone_at = excluded.gone_at;

-- name: add_event(catalog_id, item_id, news, item, page, old_cost, happened_at, is_late)^
INSERT INTO catalog_events (catalog_id, item_id, news, item, page, old_cost, happened_at, is_late)
VALUES (
    :catalog_id, :item_id, :news, :item, :page, :old_cost, :happened_at,
    CAST(:is_late AS BOOLEAN))
RETURNING *;
