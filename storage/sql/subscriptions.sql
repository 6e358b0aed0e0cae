-- name: add(key, kind, game_id, guild_id, channel_id, channel_kind, channel_name, role_id, tag_id, member_id, named_in, news, item_id, name, type_id, type_name, max_cost, is_clearance, locale, created_by, created_at)^
-- Said again, a thread goes on where it was paused, and a watch speaks the language of last time.
INSERT INTO subscriptions (
    key, kind, game_id, guild_id, channel_id, channel_kind, channel_name, role_id, tag_id,
    member_id, named_in, news, item_id, name, type_id, type_name, max_cost, is_clearance, locale,
    created_by, created_at)
VALUES (
    :key, :kind, :game_id, :guild_id, :channel_id, :channel_kind, :channel_name, :role_id, :tag_id,
    :member_id, :named_in, :news, :item_id, :name, :type_id, :type_name, :max_cost,
    CAST(:is_clearance AS BOOLEAN), :locale, :created_by, :created_at)
ON CONFLICT (key) DO UPDATE
   SET channel_kind = excluded.channel_kind, tag_id = excluded.tag_id, locale = excluded.locale,
       paused_at = NULL, pause_reason = NULL, paused_after = NULL
 WHERE excluded.kind = 'thread' OR excluded.member_id IS NOT NULL
RETURNING *;

-- name: find(id)^
SELECT * FROM subscriptions WHERE id = :id;

-- name: of_guild(guild_id, kind)
SELECT * FROM subscriptions WHERE guild_id = :guild_id AND kind = :kind ORDER BY id;

-- name: of_place(kind, game_id)
SELECT * FROM subscriptions WHERE kind = :kind AND game_id = :game_id ORDER BY id;

-- name: of_member(member_id)
SELECT * FROM subscriptions WHERE member_id = :member_id ORDER BY id;

-- name: readers(kind, game_id, most)
-- Whoever came last and is linked.
SELECT created_by FROM subscriptions JOIN links ON links.member_id = created_by
 WHERE kind = :kind AND game_id = :game_id AND NOT is_refused
 GROUP BY created_by ORDER BY MAX(id) DESC LIMIT :most;

-- name: change(id, key, channel_id, channel_kind, channel_name, news, role_id, type_id, type_name, max_cost, tag_id, locale)^
UPDATE subscriptions
   SET key = :key, channel_id = :channel_id, channel_kind = :channel_kind,
       channel_name = :channel_name, news = :news, role_id = :role_id, type_id = :type_id,
       type_name = :type_name, max_cost = :max_cost, tag_id = :tag_id, locale = :locale
 WHERE id = :id
RETURNING *;

-- name: pause(id, paused_at, pause_reason)!
UPDATE subscriptions
   SET paused_at = :paused_at, pause_reason = :pause_reason,
       paused_after = (SELECT COALESCE(MAX(id), 0) FROM events)
 WHERE id = :id AND paused_at IS NULL;

-- name: save_missed(id, event_id)!
UPDATE subscriptions SET paused_after = :event_id - 1
 WHERE id = :id AND paused_after >= :event_id;

-- name: resume(id)!
UPDATE subscriptions SET paused_at = NULL, pause_reason = NULL, paused_after = NULL WHERE id = :id;

-- name: let_go(id)!
-- What a channel was shown of a thread stays there, and is drawn anew no more.
UPDATE messages SET stays = FALSE, kept_until = wanted_at
 WHERE key IN (SELECT 'follow:' || subscriptions.id || ':' || seen.id
                 FROM subscriptions
                 JOIN seen ON seen.kind = subscriptions.kind AND seen.game_id = subscriptions.game_id
                WHERE subscriptions.id = :id AND subscriptions.kind = 'thread');

-- name: remove(id)!
DELETE FROM subscriptions WHERE id = :id;
