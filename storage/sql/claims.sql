-- name: find(name)^
SELECT name, holder, beat, term_ms FROM claims WHERE name = :name;

-- name: take(name, holder, beat, term_ms, rival, rival_beat)^
-- A free name, one's own, or one whose holder still stands where it was seen to stand.
INSERT INTO claims (name, holder, beat, term_ms) VALUES (:name, :holder, :beat, :term_ms)
ON CONFLICT (name) DO UPDATE
   SET holder = excluded.holder, beat = excluded.beat, term_ms = excluded.term_ms
 WHERE claims.holder = :holder OR claims.holder = :rival AND claims.beat = :rival_beat
RETURNING name;

-- name: renew(holder, beat)
UPDATE claims SET beat = :beat WHERE holder = :holder RETURNING name;

-- name: release(name, holder)!
DELETE FROM claims WHERE name = :name AND holder = :holder;

-- name: release_all(holder)!
DELETE FROM claims WHERE holder = :holder;

-- name: beginning_with(prefix, length)
SELECT name, holder, beat, term_ms FROM claims WHERE substr(name, 1, :length) = :prefix;

-- name: remove(name, holder, beat)!
DELETE FROM claims WHERE name = :name AND holder = :holder AND beat = :beat;
