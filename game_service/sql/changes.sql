-- name: changed_since(number)
-- The newest number, and each thread that has changed since another one.
SELECT changes.number, threads.id, threads.changed
FROM changes LEFT JOIN threads ON threads.changed > :number
