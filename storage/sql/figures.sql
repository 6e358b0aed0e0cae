-- name: orders(since)
-- What is open or not told yet, and what else was begun since then; each part by its own index.
SELECT state, COUNT(*) AS count
  FROM (SELECT state FROM orders WHERE due_at IS NOT NULL
         UNION ALL
        SELECT state FROM orders WHERE due_at IS NULL AND created_at >= :since) AS recent
 GROUP BY state;

-- name: open_orders()^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM orders WHERE is_open;

-- name: texts()^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest FROM drafts;
