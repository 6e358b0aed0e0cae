-- name: bring_orders_back(now, later)!
-- Written before the clock was set back: due now, and sent as late as can be.
UPDATE orders
   SET created_at = :now, due_at = :now,
       sent_at = CASE WHEN sent_at > :now THEN :now ELSE sent_at END,
       settled_at = CASE WHEN settled_at > :now THEN :now ELSE settled_at END
 WHERE created_at > :later AND due_at IS NOT NULL;

-- name: bring_drafts_back(now, later)!
-- The same of texts, which nobody could take until then; `later` is no earlier than what was sent
-- just now may arrive.
UPDATE drafts
   SET due_at = :now,
       created_at = CASE WHEN created_at > :now THEN :now ELSE created_at END,
       arrives_until = CASE WHEN arrives_until > :later THEN :later ELSE arrives_until END
 WHERE due_at > :later;

-- name: order_ids^
SELECT (SELECT MIN(id) FROM orders) AS first, (SELECT MAX(id) FROM orders) AS last;

-- name: move_orders(by, first, last)!
-- By so many microseconds, as the clock was set.
UPDATE orders
   SET created_at = created_at + :by, sent_at = sent_at + :by, settled_at = settled_at + :by,
       due_at = due_at + :by
 WHERE id BETWEEN :first AND :last AND due_at IS NOT NULL;

-- name: move_drafts(by)!
-- But for when they were sent, which is by the game's clock.
UPDATE drafts
   SET created_at = created_at + :by, due_at = due_at + :by, arrives_until = arrives_until + :by;

-- name: move_outcomes(by)!
UPDATE outcomes SET created_at = created_at + :by;
