-- name: recent(shard_id, since)^
-- The last one is that of any shard.
SELECT count(*) AS number, max(identified_at) AS last,
       (SELECT max(identified_at) FROM identifies) AS last_of_any
  FROM identifies
 WHERE shard_id = :shard_id AND identified_at > :since;

-- name: add(shard_id, identified_at)!
INSERT INTO identifies (shard_id, identified_at) VALUES (:shard_id, :identified_at);
