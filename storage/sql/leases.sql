-- "leased" stands for the table.
-- name: take(row_id, now, claimed_by, due_at)^
-- Of several processes that see a row due, one changes it.
UPDATE leased
   SET claimed_by = :claimed_by, due_at = :due_at
 WHERE id = :row_id AND due_at <= :now
RETURNING *;

-- name: renew(row_id, claimed_by, due_at)!
UPDATE leased
   SET due_at = :due_at
 WHERE id = :row_id AND claimed_by = :claimed_by AND due_at IS NOT NULL;

-- name: release(row_id, claimed_by, due_at)!
UPDATE leased
   SET claimed_by = '', due_at = :due_at
 WHERE id = :row_id AND claimed_by = :claimed_by;
