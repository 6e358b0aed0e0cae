-- name: follow(catalog_id, followed_at)!
-- Where it is followed already, its row is held: nobody ends that meanwhile.
INSERT INTO followed_catalogs (catalog_id, followed_at, version, failures)
VALUES (:catalog_id, :followed_at, 0, 0)
ON CONFLICT (catalog_id) DO UPDATE SET followed_at = followed_catalogs.followed_at;

-- name: add(guild_id, channel_id, channel_kind, channel_name, catalog_id, news, role_id, type_id, type_name, max_cost, tag_id, locale, created_by, created_at)^
INSERT INTO subscriptions (
    guild_id, channel_id, channel_kind, channel_name, catalog_id, news, role_id, type_id,
    type_name, max_cost, tag_id, locale, created_by, created_at)
VALUES (
    :guild_id, :channel_id, :channel_kind, :channel_name, :catalog_id, :news, :role_id, :type_id,
    :type_name, :max_cost, :tag_id, :locale, :created_by, :created_at)
ON CONFLICT (channel_id, catalog_id) DO NOTHING
RETURNING *;

-- name: find(subscription_id)^
SELECT * FROM subscriptions WHERE id = :subscription_id;

-- name: of_guild(guild_id)
SELECT * FROM subscriptions WHERE guild_id = :guild_id ORDER BY id;

-- name: of_catalog(catalog_id)
SELECT * FROM subscriptions WHERE catalog_id = :catalog_id ORDER BY id;

-- name: change(id, channel_id, channel_kind, channel_name, news, role_id, type_id, type_name, max_cost, tag_id, locale)^
UPDATE subscriptions
   SET channel_id = :channel_id, channel_kind = :channel_kind, channel_name = :channel_name,
       news = :news, role_id = :role_id, type_id = :type_id, type_name = :type_name, max_cost = :max_cost, tag_id = :tag_id,
       locale = :locale
 WHERE id = :id
RETURNING *;

-- name: pause(subscription_id, paused_at, pause_reason)!
UPDATE subscriptions
   SET paused_at = :paused_at, pause_reason = :pause_reason,
       paused_after = (SELECT COALESCE(MAX(id), 0) FROM catalog_events)
 WHERE id = :subscription_id AND paused_at IS NULL;

-- name: note_missed(subscription_id, event_id)!
UPDATE subscriptions SET paused_after = :event_id - 1
 WHERE id = :subscription_id AND paused_after >= :event_id;

-- name: resume(subscription_id)!
UPDATE subscriptions
   SET paused_at = NULL, pause_reason = NULL, paused_after = NULL
 WHERE id = :subscription_id AND paused_at IS NOT NULL;

-- name: remove(subscription_id)!
DELETE FROM subscriptions WHERE id = :subscription_id;

-- name: unfollow(catalog_id)!
DELETE FROM followed_catalogs
 WHERE catalog_id = :catalog_id
   AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE catalog_id = :catalog_id)
   AND NOT EXISTS (SELECT 1 FROM watches WHERE catalog_id = :catalog_id);

-- name: unfollow_unwished()!
DELETE FROM followed_catalogs
 WHERE catalog_id NOT IN (SELECT catalog_id FROM subscriptions UNION SELECT catalog_id FROM watches);
