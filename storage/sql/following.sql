-- name: follow(kind, place_id, now)!
-- Where it is followed already, its row is held: nobody ends that meanwhile.
INSERT INTO followed (kind, place_id, followed_at) VALUES (:kind, :place_id, :now)
ON CONFLICT (kind, place_id) DO UPDATE SET followed_at = followed.followed_at;

-- name: all()
-- Those that are wished for: of a member or a server that was forgotten, only its wishes go.
SELECT * FROM followed
 WHERE EXISTS (SELECT 1 FROM subscriptions
                WHERE subscriptions.kind = followed.kind AND subscriptions.place_id = followed.place_id)
 ORDER BY kind, place_id;

-- name: place(kind, place_id)^
SELECT * FROM followed WHERE kind = :kind AND place_id = :place_id;

-- name: unread(guild_id)
-- The catalogs that a server announces and the last look couldn't read.
SELECT place_id, failure FROM followed
 WHERE kind = 'catalog' AND failure IS NOT NULL
   AND EXISTS (SELECT 1 FROM subscriptions
                WHERE guild_id = :guild_id AND subscriptions.kind = followed.kind
                  AND subscriptions.place_id = followed.place_id)
 ORDER BY place_id;

-- name: gone_of_member(member_id)
-- The places of a member's watches that the game no longer has.
SELECT DISTINCT followed.kind, followed.place_id
  FROM subscriptions
  JOIN followed ON followed.kind = subscriptions.kind AND followed.place_id = subscriptions.place_id
 WHERE subscriptions.member_id = :member_id AND followed.gone_at IS NOT NULL;

-- name: unfollow_unwished()!
DELETE FROM followed
 WHERE NOT EXISTS (
    SELECT 1 FROM subscriptions
     WHERE subscriptions.kind = followed.kind AND subscriptions.place_id = followed.place_id);

-- name: seen(kind, place_id)
SELECT subject_id, state FROM seen WHERE kind = :kind AND place_id = :place_id;

-- name: seen_subject(kind, place_id, subject_id)^
SELECT state FROM seen
 WHERE kind = :kind AND place_id = :place_id AND subject_id = :subject_id;

-- name: seen_after(kind, place_id, subject_id)
SELECT state FROM seen
 WHERE kind = :kind AND place_id = :place_id AND subject_id > :subject_id;

-- name: named(guild_id, kind)
SELECT place_id, subject_id, name_key FROM seen
 WHERE kind = :kind
   AND place_id IN (SELECT place_id FROM subscriptions
                     WHERE guild_id = :guild_id AND kind = :kind)
 ORDER BY name_key, place_id;

-- name: begin(kind, place_id, followed_at, version, since, now)!
UPDATE followed
   SET version = version + 1, since = COALESCE(CAST(:since AS BIGINT), since), read_at = :now,
       changed_at = :now
 WHERE kind = :kind AND place_id = :place_id AND followed_at = :followed_at AND version = :version;

-- name: save_seen(kind, place_id, subject_id, name_key, state)!
INSERT INTO seen (kind, place_id, subject_id, name_key, state)
VALUES (:kind, :place_id, :subject_id, :name_key, :state)
ON CONFLICT (kind, place_id, subject_id) DO UPDATE
   SET name_key = excluded.name_key, state = excluded.state;

-- name: save_place(kind, place_id, subject_id, name_key, state)!
INSERT INTO seen (kind, place_id, subject_id, name_key, state)
VALUES (:kind, :place_id, :subject_id, :name_key, :state)
ON CONFLICT (kind, place_id, subject_id) DO NOTHING;

-- name: add_event(kind, place_id, subject_id, news, payload, happened_at, is_late)^
INSERT INTO events (kind, place_id, subject_id, news, payload, happened_at, is_late)
VALUES (
    :kind, :place_id, :subject_id, :news, :payload, :happened_at, CAST(:is_late AS BOOLEAN))
RETURNING *;

-- name: save_look(kind, place_id, failure, is_gone, now)!
UPDATE followed
   SET read_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN :now ELSE read_at END,
       failing_since = CASE WHEN CAST(:failure AS TEXT) IS NOT NULL
                            THEN COALESCE(failing_since, :now) END,
       failed_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN failed_at ELSE :now END,
       failures = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN 0 ELSE failures + 1 END,
       gone_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN NULL
                      WHEN CAST(:is_gone AS BOOLEAN) THEN COALESCE(gone_at, :now)
                      ELSE gone_at END,
       failure = :failure
 WHERE kind = :kind AND place_id = :place_id;

-- name: logs_of_place(kind, place_id)
-- The log channels of the servers that announce or follow it.
SELECT DISTINCT subscriptions.guild_id, log_channel_id
  FROM subscriptions JOIN moderation ON moderation.guild_id = subscriptions.guild_id
 WHERE kind = :kind AND place_id = :place_id AND channel_id IS NOT NULL
   AND log_channel_id IS NOT NULL;

-- name: add(key, kind, place_id, subject_id, subject_name, query, news, guild_id, channel_id, channel_kind, channel_name, role_ids, tag_id, member_id, asked_in, replies_after, locale, created_by, created_at, renews)^
-- Said again, a watch speaks the language of last time.
INSERT INTO subscriptions (
    key, kind, place_id, subject_id, subject_name, query, news, guild_id, channel_id, channel_kind,
    channel_name, role_ids, tag_id, member_id, asked_in, replies_after, locale, created_by,
    created_at)
VALUES (
    :key, :kind, :place_id, :subject_id, :subject_name, :query, :news, :guild_id, :channel_id,
    :channel_kind, :channel_name, :role_ids, :tag_id, :member_id, :asked_in, :replies_after,
    :locale, :created_by, :created_at)
ON CONFLICT (key) DO UPDATE
   SET channel_kind = excluded.channel_kind, tag_id = excluded.tag_id, locale = excluded.locale
 WHERE CAST(:renews AS BOOLEAN)
RETURNING *;

-- name: known(key)^
SELECT id FROM subscriptions WHERE key = :key;

-- name: find(id)^
SELECT * FROM subscriptions WHERE id = :id AND channel_id IS NOT NULL;

-- name: of_guild(guild_id, kind)
-- NULL stands for any kind.
SELECT * FROM subscriptions
 WHERE guild_id = :guild_id AND (kind = :kind OR CAST(:kind AS TEXT) IS NULL) ORDER BY kind, id;

-- name: of_place(kind, place_id)
SELECT * FROM subscriptions WHERE kind = :kind AND place_id = :place_id ORDER BY id;

-- name: of_member(member_id, kind)
SELECT * FROM subscriptions WHERE member_id = :member_id AND kind = :kind ORDER BY id;

-- name: lock(id)^
-- Nobody else changes it until the end of the transaction.
UPDATE subscriptions SET id = id WHERE id = :id AND channel_id IS NOT NULL RETURNING *;

-- name: change(id, key, channel_id, channel_kind, channel_name, news, role_ids, query, tag_id, locale, created_by, own_words, drafted_words, notify_role_id)!
UPDATE subscriptions
   SET key = :key, channel_id = :channel_id, channel_kind = :channel_kind,
       channel_name = :channel_name, news = :news, role_ids = :role_ids, query = :query,
       tag_id = :tag_id, locale = :locale, created_by = :created_by,
       own_words = :own_words, drafted_words = :drafted_words, notify_role_id = :notify_role_id
 WHERE id = :id;

-- name: note_gone_roles(id, gone_role_ids)!
UPDATE subscriptions SET gone_role_ids = :gone_role_ids WHERE id = :id;

-- name: stop(id, stopped_at, stopped_for)!
-- A comment that is only placed is still to come.
UPDATE subscriptions
   SET stopped_at = :stopped_at, stopped_for = :stopped_for,
       missed_after = CASE WHEN kind = 'catalog' THEN (SELECT COALESCE(MAX(id), 0) FROM events)
                           ELSE (SELECT COALESCE(MAX(seen.subject_id), 0) FROM seen
                                  WHERE seen.kind = subscriptions.kind
                                    AND seen.place_id = subscriptions.place_id
                                    AND seen.state NOT LIKE '%"is_only_placed"_true%') END
 WHERE id = :id AND stopped_at IS NULL;

-- name: stopped(kind, place_id)
SELECT id FROM subscriptions
 WHERE kind = :kind AND place_id = :place_id AND stopped_at IS NOT NULL;

-- name: save_missed(id, first_id)!
UPDATE subscriptions SET missed_after = :first_id - 1
 WHERE id = :id AND missed_after >= :first_id;

-- name: go_on(id)!
UPDATE subscriptions
   SET stopped_at = NULL, stopped_for = NULL, missed_after = NULL
 WHERE id = :id AND stopped_at IS NOT NULL;

-- name: remove(id)!
DELETE FROM subscriptions WHERE id = :id;

-- name: tell(subscription_id, event_id, message_key)!
-- Nothing, where the subscription has ended since it was read. What was told is not told again;
-- what was refused may be, in another message.
INSERT INTO message_events (subscription_id, event_id, message_key)
SELECT id, CAST(:event_id AS BIGINT), CAST(:message_key AS TEXT)
  FROM subscriptions WHERE id = :subscription_id
ON CONFLICT (subscription_id, event_id) DO UPDATE SET message_key = excluded.message_key
 WHERE EXISTS (SELECT 1 FROM messages
                WHERE key = message_events.message_key AND state IN ('refused', 'dropped')
                  AND message_id IS NULL AND is_wanted);

-- name: gather(message_key, subscription_id, member_id)!
-- Of one subscription, or of all that a member has.
UPDATE message_events SET message_key = :message_key
 WHERE subscription_id IN (SELECT id FROM subscriptions
                            WHERE id = :subscription_id OR member_id = :member_id)
   AND EXISTS (SELECT 1 FROM messages
                WHERE key = message_events.message_key AND due_at IS NOT NULL
                  AND attempted_at IS NULL AND message_id IS NULL);

-- name: events_of(message_key)
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

-- name: telling(kind, place_id, subject_id)
SELECT DISTINCT message_key FROM message_events JOIN events ON events.id = event_id
 WHERE kind = :kind AND place_id = :place_id AND subject_id = :subject_id;

-- name: missed_events(subscription_id, kind, place_id, after)
-- Events after one, but those that were told, may have been, or still are to be; what was told and
-- then deleted, too.
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
-- By catalog, of how many items a server was to be told such news.
SELECT place_id, COUNT(DISTINCT subject_id) AS count FROM events
 WHERE kind = 'catalog' AND happened_at > :since AND news LIKE :pattern
   AND place_id IN (SELECT place_id FROM subscriptions
                     WHERE guild_id = :guild_id AND kind = 'catalog')
 GROUP BY place_id;

-- name: history(guild_id, kind, subscription_id, subject_id, most)
-- Of all announcements of a server, or of one; of all subjects, or of one.
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

-- name: deliveries(event_id)
SELECT subscription_id, state, settled_at, reason, due_at, key, message_id, is_wanted,
       FALSE AS is_removed, NULL AS removed_by
  FROM message_events JOIN messages ON key = message_key
 WHERE event_id = :event_id;

-- name: message_of(subscription_id, event_id)^
SELECT messages.* FROM message_events JOIN messages ON key = message_key
 WHERE subscription_id = :subscription_id AND event_id = :event_id;

-- name: find_announced(subscription_id, newest_key)^
-- One message that told of news, or of the newest of what was there already.
SELECT id FROM messages WHERE key = :newest_key AND state NOT IN ('refused', 'dropped')
 UNION ALL
SELECT messages.id
  FROM message_events
  JOIN messages ON messages.key = message_events.message_key
 WHERE message_events.subscription_id = :subscription_id AND state NOT IN ('refused', 'dropped')
 LIMIT 1;

-- name: last_told(member_id, kind)^
-- Also one that is about to be edited.
SELECT MAX(settled_at) AS told_at FROM messages
 WHERE member_id = :member_id AND kind = :kind
   AND (state IN ('sent', 'refused', 'unknown') OR message_id IS NOT NULL);

-- name: showing(thread_id, comment_id)
-- Not where the channel refused it, or it was not posted while that was paused.
SELECT subscriptions.id AS subscription_id
  FROM subscriptions
  JOIN messages
    ON messages.key = 'follow:' || subscriptions.id || ':' || CAST(:comment_id AS TEXT)
 WHERE subscriptions.kind = 'thread' AND subscriptions.place_id = :thread_id
   AND subscriptions.channel_id IS NOT NULL
   AND (message_id IS NOT NULL OR state NOT IN ('refused', 'dropped'));
