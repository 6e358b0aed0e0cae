-- Words that begin with "kept_" are replaced by what storage/retention.py says about a table.

-- name: throw_out(most)!
DELETE FROM kept_table
 WHERE (kept_key) IN (SELECT kept_key FROM kept_table WHERE kept_rows LIMIT :most);

-- name: servers()
SELECT DISTINCT kept_column AS guild_id FROM kept_table WHERE kept_column IS NOT NULL;

-- name: of_member()
-- Of the rows that say of the member, each once, whatever they did there.
SELECT kept_table.*, kept_owner AS sealed_for FROM kept_table WHERE kept_rows ORDER BY kept_key;

-- name: erase(member_id)!
DELETE FROM kept_table WHERE kept_column = :member_id AND NOT (kept_rows);

-- name: forget_name(member_id)!
UPDATE kept_table SET kept_column = 0 WHERE kept_column = :member_id;

-- name: count_by_key()
-- What is sealed begins with the id of its key.
SELECT substr(kept_column, 1, 4) AS key_id, count(*) AS rows
  FROM kept_table
 WHERE kept_column IS NOT NULL
 GROUP BY substr(kept_column, 1, 4);

-- name: all_sealed()
SELECT kept_table.*, kept_owner AS sealed_for FROM kept_table WHERE kept_column IS NOT NULL;

-- name: reseal(sealed, sealed_before)!
-- Nothing, if it was changed or removed since.
UPDATE kept_table SET kept_column = :sealed WHERE kept_row AND kept_column = :sealed_before;

-- name: gone_servers()
SELECT guild_id, gone_since FROM gone_servers ORDER BY guild_id;

-- name: mark_gone(guild_id, gone_since)!
INSERT INTO gone_servers (guild_id, gone_since) VALUES (:guild_id, :gone_since)
ON CONFLICT (guild_id) DO NOTHING;

-- name: unmark(guild_id)!
DELETE FROM gone_servers WHERE guild_id = :guild_id;
