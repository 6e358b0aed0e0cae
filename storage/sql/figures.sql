-- name: orders(since)
-- What is open or not told yet, and what else was begun since then.
SELECT state, COUNT(*) AS count FROM orders
 WHERE due_at IS NOT NULL OR created_at >= :since
 GROUP BY state;

-- name: open_orders()^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM orders WHERE is_open;

-- name: texts()^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM writes
 WHERE card_id IS NULL AND state IN ('kept', 'sent', 'unknown');
