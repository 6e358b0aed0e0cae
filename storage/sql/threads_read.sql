-- name: save(member_id, thread_id, newest_id, read_at)!
INSERT INTO threads_read (member_id, thread_id, newest_id, read_at)
VALUES (:member_id, :thread_id, :newest_id, :read_at)
ON CONFLICT (member_id, thread_id) DO UPDATE
   SET newest_id = CASE WHEN excluded.newest_id > threads_read.newest_id
                        THEN excluded.newest_id ELSE threads_read.newest_id END,
       read_at = excluded.read_at;

-- name: of_member(member_id)
SELECT thread_id FROM threads_read WHERE member_id = :member_id ORDER BY read_at DESC;
