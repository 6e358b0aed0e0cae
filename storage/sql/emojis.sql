-- name: note(key, url, due_at)!
INSERT INTO emojis (key, url, due_at, failures) VALUES (:key, :url, :due_at, 0)
ON CONFLICT (key) DO UPDATE SET url = excluded.url, due_at = excluded.due_at, failures = 0
 WHERE emojis.url <> excluded.url;

-- name: made()
SELECT key, name, emoji_id FROM emojis WHERE emoji_id IS NOT NULL ORDER BY key;

-- name: next(now)^
SELECT * FROM emojis WHERE due_at <= :now ORDER BY due_at, key LIMIT 1;

-- name: keep(key, url, name, emoji_id)!
UPDATE emojis SET name = :name, emoji_id = :emoji_id, due_at = NULL, failures = 0
 WHERE key = :key AND url = :url;

-- name: put_off(key, url, due_at)!
UPDATE emojis SET due_at = :due_at, failures = failures + 1 WHERE key = :key AND url = :url;

-- name: forget_all()!
DELETE FROM emojis;
