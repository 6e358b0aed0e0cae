-- name: follow(kind, place_id, now)!
-- If it is followed already, its row is held: no one can unfollow it before the transaction ends.
INSERT INTO followed (kind, place_id, followed_at, due_at) VALUES (:kind, :place_id, :now, :now)
ON CONFLICT (kind, place_id) DO UPDATE SET followed_at = followed.followed_at;

-- name: unfollow_unwished()!
DELETE FROM followed
 WHERE NOT EXISTS (
    SELECT 1 FROM subscriptions
     WHERE subscriptions.kind = followed.kind AND subscriptions.place_id = followed.place_id);

-- name: add(key, kind, place_id, subject_id, subject_name, query, news, guild_id, channel_id, channel_kind, channel_name, role_ids, tag_id, member_id, asked_in, replies_after, locale, created_by, created_at, renews)^
-- A watch that is wished for again speaks the language of the last time.
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
-- NULL means any kind.
SELECT * FROM subscriptions
 WHERE guild_id = :guild_id AND (kind = :kind OR CAST(:kind AS TEXT) IS NULL) ORDER BY kind, id;

-- name: of_place(kind, place_id)
SELECT * FROM subscriptions WHERE kind = :kind AND place_id = :place_id ORDER BY id;

-- name: lock(id)^
-- No one else changes it until the end of the transaction.
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

-- name: resume(id)!
UPDATE subscriptions
   SET stopped_at = NULL, stopped_for = NULL, missed_after = NULL
 WHERE id = :id AND stopped_at IS NOT NULL;

-- name: remove(id)!
DELETE FROM subscriptions WHERE id = :id;
