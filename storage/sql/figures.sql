-- Of anything that may be many, so many are counted at most.

-- name: orders(since, most)
-- What is open or not told yet, and what else was begun since then; each part by its own index.
SELECT state, COUNT(*) AS count
  FROM (SELECT state FROM (SELECT state FROM orders WHERE due_at IS NOT NULL
                            ORDER BY created_at LIMIT :most) AS open_ones
         UNION ALL
        SELECT state FROM (SELECT state FROM orders WHERE due_at IS NULL AND created_at >= :since
                            ORDER BY created_at DESC LIMIT :most) AS others) AS recent
 GROUP BY state;

-- name: open_orders(most)^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest
  FROM (SELECT created_at FROM orders WHERE is_open ORDER BY created_at LIMIT :most) AS oldest_ones;

-- name: texts(most)^
SELECT COUNT(*) AS count, MIN(created_at) AS oldest
  FROM (SELECT created_at FROM drafts ORDER BY created_at LIMIT :most) AS oldest_ones;
