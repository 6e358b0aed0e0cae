-- name: put(account_id, milliseconds, ends_at, number)!
INSERT INTO pauses (account_id, milliseconds, ends_at, number)
VALUES (:account_id, :milliseconds, :ends_at, :number)
ON CONFLICT (account_id) DO UPDATE
   SET milliseconds = excluded.milliseconds, ends_at = excluded.ends_at, number = excluded.number;

-- name: since(number, account_id, most)
SELECT account_id, milliseconds, ends_at, number FROM pauses
 WHERE (number, account_id) > (:number, :account_id)
 ORDER BY number, account_id
 LIMIT :most;

-- name: purge(now)!
-- A few more than may have come since: nobody waits for many.
DELETE FROM pauses
 WHERE account_id IN (SELECT account_id FROM pauses WHERE ends_at < :now LIMIT 500);
