-- name: find(name)^
SELECT value FROM facts WHERE name = :name;

-- name: save(name, value)!
INSERT INTO facts (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: hold(name)!
-- Until the end of the transaction, nobody else reads it to change it.
UPDATE facts SET value = value WHERE name = :name;
