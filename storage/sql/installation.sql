-- name: find_fact(name)^
SELECT value FROM facts WHERE name = :name;

-- name: save_fact(name, value)!
INSERT INTO facts (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: orders(since)
-- What is open or not told yet, and everything else that was begun since then.
SELECT state, COUNT(*) AS count FROM writes
 WHERE card_id IS NOT NULL AND (due_at IS NOT NULL OR created_at >= :since)
 GROUP BY state;

-- name: waiting()
-- A message that waits for something else, such as a link, isn't stuck.
SELECT 'open_orders' AS name, COUNT(*) AS count, MIN(created_at) AS oldest
  FROM writes
 WHERE is_open
 UNION ALL
SELECT 'texts', COUNT(*), MIN(created_at) FROM writes
 WHERE card_id IS NULL AND state IN ('kept', 'sent', 'unknown')
 UNION ALL
SELECT 'outbox', COUNT(*), MIN(wanted_at) FROM messages
 WHERE due_at IS NOT NULL AND (reason IS NULL OR reason NOT LIKE 'not yet%');
