-- name: follow(kind, game_id, now)!
-- Where it is followed already, its row is held: nobody ends that meanwhile.
INSERT INTO followed (kind, game_id, followed_at) VALUES (:kind, :game_id, :now)
ON CONFLICT (kind, game_id) DO UPDATE SET followed_at = followed.followed_at;

-- name: all()
-- Those that are wished for: of a member or a server that was forgotten, only its wishes go.
SELECT * FROM followed
 WHERE EXISTS (SELECT 1 FROM subscriptions
                WHERE subscriptions.kind = followed.kind AND subscriptions.game_id = followed.game_id)
 ORDER BY kind, game_id;

-- name: place(kind, game_id)^
SELECT * FROM followed WHERE kind = :kind AND game_id = :game_id;

-- name: unfollow_unwished()!
DELETE FROM followed
 WHERE NOT EXISTS (
    SELECT 1 FROM subscriptions
     WHERE subscriptions.kind = followed.kind AND subscriptions.game_id = followed.game_id);

-- name: seen(kind, game_id)
SELECT id, state FROM seen WHERE kind = :kind AND game_id = :game_id;

-- name: seen_comment(thread_id, id)^
SELECT state FROM seen WHERE kind = 'thread' AND game_id = :thread_id AND id = :id;

-- name: items_named(guild_id, pattern, item_id, most)
SELECT game_id, state FROM seen
 WHERE kind = 'catalog' AND (name_key LIKE :pattern OR id = :item_id)
   AND game_id IN (SELECT game_id FROM subscriptions
                    WHERE guild_id = :guild_id AND kind = 'catalog')
 ORDER BY name_key, game_id
 LIMIT :most;

-- name: begin(kind, game_id, followed_at, version, since, now)!
UPDATE followed
   SET version = version + 1, since = COALESCE(CAST(:since AS BIGINT), since), read_at = :now
 WHERE kind = :kind AND game_id = :game_id AND followed_at = :followed_at AND version = :version;

-- name: save_seen(kind, game_id, id, name_key, state)!
INSERT INTO seen (kind, game_id, id, name_key, state)
VALUES (:kind, :game_id, :id, :name_key, :state)
ON CONFLICT (kind, game_id, id) DO UPDATE
   SET name_key = excluded.name_key, state = excluded.state;

-- name: add_event(catalog_id, item_id, news, item, page, old_cost, happened_at, is_late)^
INSERT INTO events (catalog_id, item_id, news, item, page, old_cost, happened_at, is_late)
VALUES (
    :catalog_id, :item_id, :news, :item, :page, :old_cost, :happened_at,
    CAST(:is_late AS BOOLEAN))
RETURNING *;

-- name: save_look(kind, game_id, failure, reader_id, now)!
-- Nobody is its reader whose link was removed meanwhile.
UPDATE followed
   SET read_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN :now ELSE read_at END,
       failing_since = CASE WHEN CAST(:failure AS TEXT) IS NOT NULL
                            THEN COALESCE(failing_since, :now) END,
       failed_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN failed_at ELSE :now END,
       failures = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN 0 ELSE failures + 1 END,
       failure = :failure,
       reader_id = (SELECT member_id FROM links WHERE member_id = :reader_id)
 WHERE kind = :kind AND game_id = :game_id;

-- name: add(key, kind, game_id, guild_id, channel_id, channel_kind, channel_name, role_id, tag_id, member_id, named_in, news, item_id, name, types, max_cost, currency, is_clearance, locale, created_by, created_at)^
-- Said again, a watch speaks the language of last time.
INSERT INTO subscriptions (
    key, kind, game_id, guild_id, channel_id, channel_kind, channel_name, role_id, tag_id,
    member_id, named_in, news, item_id, name, types, max_cost, currency, is_clearance, locale,
    created_by, created_at)
VALUES (
    :key, :kind, :game_id, :guild_id, :channel_id, :channel_kind, :channel_name, :role_id, :tag_id,
    :member_id, :named_in, :news, :item_id, :name, :types, :max_cost, :currency,
    CAST(:is_clearance AS BOOLEAN), :locale, :created_by, :created_at)
ON CONFLICT (key) DO UPDATE
   SET channel_kind = excluded.channel_kind, tag_id = excluded.tag_id, locale = excluded.locale
 WHERE excluded.kind = 'thread' OR excluded.member_id IS NOT NULL
RETURNING *;

-- name: find(id)^
SELECT * FROM subscriptions WHERE id = :id AND guild_id IS NOT NULL;

-- name: of_guild(guild_id, kind)
-- NULL stands for any kind.
SELECT * FROM subscriptions
 WHERE guild_id = :guild_id AND (kind = :kind OR CAST(:kind AS TEXT) IS NULL) ORDER BY kind, id;

-- name: of_place(kind, game_id)
SELECT * FROM subscriptions WHERE kind = :kind AND game_id = :game_id ORDER BY id;

-- name: of_member(member_id)
SELECT * FROM subscriptions WHERE member_id = :member_id ORDER BY id;

-- name: readers(catalog_id, most)
SELECT created_by FROM subscriptions
  JOIN links ON links.member_id = created_by AND NOT is_refused
  JOIN followed ON followed.kind = subscriptions.kind AND followed.game_id = subscriptions.game_id
 WHERE subscriptions.kind = 'catalog' AND subscriptions.game_id = :catalog_id
 GROUP BY created_by, reader_id ORDER BY created_by <> COALESCE(reader_id, 0), MAX(id) DESC
 LIMIT :most;

-- name: read_as(member_id, by_operator)
SELECT DISTINCT guild_id, subscriptions.game_id FROM subscriptions
  JOIN followed ON followed.kind = subscriptions.kind AND followed.game_id = subscriptions.game_id
 WHERE created_by = :member_id AND subscriptions.kind = 'catalog' AND guild_id IS NOT NULL
   AND (reader_id IS NOT NULL OR :by_operator = 0)
   AND NOT EXISTS (
    SELECT 1 FROM subscriptions AS others
      JOIN links ON links.member_id = others.created_by AND NOT is_refused
     WHERE others.guild_id = subscriptions.guild_id AND others.kind = subscriptions.kind
       AND others.game_id = subscriptions.game_id AND others.created_by <> :member_id)
 ORDER BY guild_id, subscriptions.game_id;

-- name: stop_unread(stopped_at)
-- Whoever announces a catalog in a server, and is linked, reads it for everybody there.
UPDATE subscriptions
   SET stopped_at = :stopped_at, stopped_for = 'unread',
       missed_after = (SELECT COALESCE(MAX(id), 0) FROM events)
 WHERE kind = 'catalog' AND guild_id IS NOT NULL AND stopped_at IS NULL
   AND NOT EXISTS (
    SELECT 1 FROM subscriptions AS others
      JOIN links ON links.member_id = others.created_by AND NOT is_refused
     WHERE others.guild_id = subscriptions.guild_id AND others.kind = subscriptions.kind
       AND others.game_id = subscriptions.game_id)
RETURNING *;

-- name: read_again(catalog_id, by_operator)
SELECT * FROM subscriptions
 WHERE kind = 'catalog' AND game_id = :catalog_id AND stopped_for = 'unread'
   AND (SELECT COUNT(*) FROM subscriptions AS others
          JOIN links ON links.member_id = others.created_by AND NOT is_refused
         WHERE others.guild_id = subscriptions.guild_id AND others.kind = subscriptions.kind
           AND others.game_id = subscriptions.game_id)
       + :by_operator > 0
 ORDER BY id;

-- name: change(id, key, channel_id, channel_kind, channel_name, news, role_id, types, max_cost, currency, tag_id, locale, created_by)^
UPDATE subscriptions
   SET key = :key, channel_id = :channel_id, channel_kind = :channel_kind,
       channel_name = :channel_name, news = :news, role_id = :role_id, types = :types,
       max_cost = :max_cost, currency = :currency, tag_id = :tag_id, locale = :locale,
       created_by = :created_by
 WHERE id = :id
RETURNING *;

-- name: stop(id, stopped_at, stopped_for)!
UPDATE subscriptions
   SET stopped_at = :stopped_at, stopped_for = :stopped_for,
       missed_after = CASE WHEN kind = 'catalog' THEN (SELECT COALESCE(MAX(id), 0) FROM events)
                           ELSE (SELECT COALESCE(MAX(id), 0) FROM seen
                                  WHERE seen.kind = subscriptions.kind
                                    AND seen.game_id = subscriptions.game_id) END
 WHERE id = :id AND stopped_at IS NULL;

-- name: stopped(kind, game_id)
SELECT id FROM subscriptions
 WHERE kind = :kind AND game_id = :game_id AND stopped_at IS NOT NULL;

-- name: save_missed(id, first_id)!
UPDATE subscriptions SET missed_after = :first_id - 1
 WHERE id = :id AND missed_after >= :first_id;

-- name: go_on(id, created_by)!
UPDATE subscriptions
   SET stopped_at = NULL, stopped_for = NULL, missed_after = NULL,
       created_by = COALESCE(CAST(:created_by AS BIGINT), created_by)
 WHERE id = :id AND stopped_at IS NOT NULL;

-- name: leave_posts(id)!
-- What a channel was shown of a thread stays there, and is drawn anew no more.
UPDATE messages
   SET stays = FALSE, key = key || ' ' || id,
       kept_until = CASE WHEN due_at IS NULL THEN wanted_at END
 WHERE key IN (SELECT 'follow:' || subscriptions.id || ':' || seen.id
                 FROM subscriptions
                 JOIN seen ON seen.kind = subscriptions.kind AND seen.game_id = subscriptions.game_id
                WHERE subscriptions.id = :id AND subscriptions.kind = 'thread');

-- name: remove(id)!
DELETE FROM subscriptions WHERE id = :id;

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

-- name: missed_events(subscription_id, catalog_id, after)
-- Events after one, but those that were told, may have been, or still are to be.
SELECT * FROM events
 WHERE catalog_id = :catalog_id AND id > :after
   AND NOT EXISTS (
    SELECT 1 FROM message_events JOIN messages ON key = message_key
     WHERE subscription_id = :subscription_id AND event_id = events.id
       AND state NOT IN ('refused', 'dropped'))
 ORDER BY id;

-- name: missed_comments(subscription_id, thread_id, after)
SELECT seen.state FROM seen
 WHERE kind = 'thread' AND game_id = :thread_id AND id > :after
   AND NOT EXISTS (
    SELECT 1 FROM messages
     WHERE key = 'follow:' || CAST(:subscription_id AS TEXT) || ':' || seen.id
       AND messages.state NOT IN ('refused', 'dropped'))
 ORDER BY id;

-- name: told_in(message_id, catalog_id, item_id)
SELECT events.* FROM messages
  JOIN message_events ON message_key = key
  JOIN events ON events.id = event_id
 WHERE message_id = :message_id AND catalog_id = :catalog_id AND item_id = :item_id
 ORDER BY events.id DESC
 LIMIT 1;

-- name: history(guild_id, subscription_id, item_id, most)
-- Of all announcements of a server, or of one; of all items, or of one.
SELECT * FROM events
 WHERE catalog_id IN (SELECT game_id FROM subscriptions
                       WHERE guild_id = :guild_id AND kind = 'catalog'
                         AND (id = :subscription_id OR CAST(:subscription_id AS BIGINT) IS NULL))
   AND (item_id = :item_id OR CAST(:item_id AS BIGINT) IS NULL)
 ORDER BY id DESC
 LIMIT :most;

-- name: last_comments(subscription_id, thread_id, most)
SELECT seen.state AS seen, messages.state AS state, settled_at, reason, due_at
  FROM seen LEFT JOIN messages
    ON key = 'follow:' || CAST(:subscription_id AS TEXT) || ':' || seen.id
 WHERE seen.kind = 'thread' AND game_id = :thread_id
 ORDER BY seen.id DESC
 LIMIT :most;

-- name: deliveries(event_id)
SELECT subscription_id, state, settled_at, reason, due_at
  FROM message_events JOIN messages ON key = message_key
 WHERE event_id = :event_id;

-- name: last_told(member_id, kind)^
SELECT MAX(settled_at) AS told_at FROM messages
 WHERE member_id = :member_id AND kind = :kind AND state IN ('sent', 'refused', 'unknown');

-- name: showing(thread_id, comment_id)
-- Not where the channel refused it, or it was not posted while that was paused.
SELECT subscriptions.id AS subscription_id
  FROM subscriptions
  JOIN messages
    ON messages.key = 'follow:' || subscriptions.id || ':' || CAST(:comment_id AS TEXT)
 WHERE subscriptions.kind = 'thread' AND subscriptions.game_id = :thread_id
   AND (message_id IS NOT NULL OR state NOT IN ('refused', 'dropped'));
