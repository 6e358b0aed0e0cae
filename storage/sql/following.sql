-- name: due(kind, most)
-- Those with subscriptions: if a member or a server is forgotten, only its subscriptions are
-- deleted.
SELECT place_id, due_at FROM followed
 WHERE kind = :kind
   AND EXISTS (SELECT 1 FROM subscriptions
                WHERE subscriptions.kind = followed.kind AND subscriptions.place_id = followed.place_id)
 ORDER BY due_at LIMIT :most;

-- name: bring_forward(latest)!
-- What can't be read waits for longer.
UPDATE followed SET due_at = :latest WHERE due_at > :latest AND failures = 0;

-- name: last_reads(kind, most)
SELECT COALESCE(read_at, followed_at) AS read_at FROM followed
 WHERE kind = :kind
   AND EXISTS (SELECT 1 FROM subscriptions
                WHERE subscriptions.kind = followed.kind AND subscriptions.place_id = followed.place_id)
 ORDER BY COALESCE(read_at, followed_at) LIMIT :most;

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

-- name: seen(kind, place_id)
SELECT subject_id, state FROM seen WHERE kind = :kind AND place_id = :place_id;

-- name: seen_below(kind, place_id, first_root, last_root)
SELECT subject_id, state FROM seen
 WHERE kind = :kind AND place_id = :place_id AND root_id >= :first_root AND root_id <= :last_root;

-- name: seen_awaited(kind, place_id)
-- The comments whose replies members wait for, and those at the top of them.
SELECT subject_id, state FROM seen
 WHERE kind = :kind AND place_id = :place_id
   AND subject_id IN (
        SELECT subject_id FROM subscriptions WHERE kind = :kind AND place_id = :place_id
         UNION
        SELECT root_id
          FROM subscriptions
          JOIN seen AS awaited
            ON awaited.kind = subscriptions.kind AND awaited.place_id = subscriptions.place_id
               AND awaited.subject_id = subscriptions.subject_id
         WHERE subscriptions.kind = :kind AND subscriptions.place_id = :place_id);

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

-- name: save_seen(kind, place_id, subject_id, root_id, name_key, state)!
INSERT INTO seen (kind, place_id, subject_id, root_id, name_key, state)
VALUES (:kind, :place_id, :subject_id, :root_id, :name_key, :state)
ON CONFLICT (kind, place_id, subject_id) DO UPDATE
   SET root_id = excluded.root_id, name_key = excluded.name_key, state = excluded.state;

-- name: save_place(kind, place_id, subject_id, root_id, name_key, state)!
INSERT INTO seen (kind, place_id, subject_id, root_id, name_key, state)
VALUES (:kind, :place_id, :subject_id, :root_id, :name_key, :state)
ON CONFLICT (kind, place_id, subject_id) DO NOTHING;

-- name: add_event(kind, place_id, subject_id, news, payload, happened_at, is_late)^
INSERT INTO events (kind, place_id, subject_id, news, payload, happened_at, is_late)
VALUES (
    :kind, :place_id, :subject_id, :news, :payload, :happened_at, CAST(:is_late AS BOOLEAN))
RETURNING *;

-- name: save_look(kind, place_id, failure, is_gone, now, due_at)!
UPDATE followed
   SET read_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN :now ELSE read_at END,
       failing_since = CASE WHEN CAST(:failure AS TEXT) IS NOT NULL
                            THEN COALESCE(failing_since, :now) END,
       failed_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN failed_at ELSE :now END,
       failures = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN 0 ELSE failures + 1 END,
       gone_at = CASE WHEN CAST(:failure AS TEXT) IS NULL THEN NULL
                      WHEN CAST(:is_gone AS BOOLEAN) THEN COALESCE(gone_at, :now)
                      ELSE gone_at END,
       failure = :failure,
       due_at = :due_at
 WHERE kind = :kind AND place_id = :place_id;

-- name: logs_of_place(kind, place_id)
-- The log channels of the servers that announce or follow it.
SELECT DISTINCT subscriptions.guild_id, log_channel_id
  FROM subscriptions JOIN moderation ON moderation.guild_id = subscriptions.guild_id
 WHERE kind = :kind AND place_id = :place_id AND channel_id IS NOT NULL
   AND log_channel_id IS NOT NULL;
