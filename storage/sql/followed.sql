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

-- name: seen_one(kind, game_id, id)^
SELECT state FROM seen WHERE kind = :kind AND game_id = :game_id AND id = :id;

-- name: seen_named(guild_id, pattern, item_id, most)
-- Items of a server's catalogs whose name holds this, or of this number.
SELECT game_id, state FROM seen
 WHERE kind = 'catalog' AND (name_key LIKE :pattern OR id = :item_id)
   AND game_id IN (SELECT game_id FROM subscriptions
                    WHERE guild_id = :guild_id AND kind = 'catalog')
 ORDER BY name_key, game_id
 LIMIT :most;

-- name: begin(kind, game_id, followed_at, version, since, now)!
-- Changes no row where others have written meanwhile.
UPDATE followed
   SET version = version + 1, since = COALESCE(CAST(:since AS BIGINT), since), read_at = :now
 WHERE kind = :kind AND game_id = :game_id AND followed_at = :followed_at AND version = :version;

-- name: keep(kind, game_id, id, name_key, state)!
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
