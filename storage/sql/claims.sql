-- {clock} is the time by the database's own clock.
-- name: take(name, holder, term)^
-- A free name, one's own, or one whose holder did not renew it in time.
INSERT INTO claims (name, holder, expires_at) VALUES (:name, :holder, {clock} + :term)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
 WHERE claims.holder = :holder OR claims.expires_at <= {clock}
RETURNING name;

-- name: holder(name)^
SELECT holder FROM claims WHERE name = :name;

-- name: renew(holder, term)
-- With the last step of the tables: a newer version may have brought them up to date.
UPDATE claims SET expires_at = {clock} + :term WHERE holder = :holder
RETURNING name, (SELECT step FROM about) AS step;

-- name: release(name, holder)!
-- NULL means all of them.
DELETE FROM claims WHERE holder = :holder AND (name = :name OR CAST(:name AS TEXT) IS NULL);

-- name: holders_of_key(key)
-- For each of its keys, a process holds a name: `key:`, the key's id, and what tells it from others.
SELECT holder FROM claims WHERE name = 'key:' || CAST(:key AS TEXT) || ':' || holder;

-- name: purge()!
DELETE FROM claims WHERE expires_at <= {clock};
