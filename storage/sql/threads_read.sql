-- name: visit(member_id, thread_id, newest_id, begins, gone_since, now)^
-- What was seen before moves when a member looks again and finds something, or was away. In a
-- thread that is followed, what is known without the game counts as seen, too.
INSERT INTO threads_read (member_id, thread_id, newest_id, read_at)
SELECT CAST(:member_id AS BIGINT), CAST(:thread_id AS BIGINT), MAX(id), CAST(:now AS BIGINT)
  FROM (SELECT CAST(:newest_id AS BIGINT) AS id
         UNION ALL
        SELECT MAX(subject_id) FROM seen WHERE kind = 'thread' AND place_id = :thread_id) AS newest
 WHERE TRUE
ON CONFLICT (member_id, thread_id) DO UPDATE
   SET before_id = CASE WHEN threads_read.read_at < :gone_since
                             OR :begins = 1 AND excluded.newest_id > threads_read.newest_id
                        THEN threads_read.newest_id ELSE threads_read.before_id END,
       before_at = CASE WHEN threads_read.read_at < :gone_since
                             OR :begins = 1 AND excluded.newest_id > threads_read.newest_id
                        THEN threads_read.read_at ELSE threads_read.before_at END,
       newest_id = CASE WHEN excluded.newest_id > threads_read.newest_id
                        THEN excluded.newest_id ELSE threads_read.newest_id END,
       read_at = excluded.read_at
RETURNING thread_id, before_id AS comment_id, before_at AS at;

-- name: still_looking(member_id, thread_id, newest_id, noted_since)^
-- The visit in which a page is turned, if its thread is the last one that the member read, and
-- there is nothing newer to be noted.
SELECT thread_id, before_id AS comment_id, before_at AS at FROM threads_read
 WHERE member_id = :member_id AND thread_id = :thread_id
   AND newest_id >= :newest_id
   AND newest_id >= COALESCE((SELECT MAX(subject_id) FROM seen
                               WHERE kind = 'thread' AND place_id = :thread_id), 0)
   AND read_at >= :noted_since
   AND read_at = (SELECT MAX(read_at) FROM threads_read WHERE member_id = :member_id);

-- name: read_by(member_id)
SELECT thread_id, newest_id AS comment_id, read_at AS at FROM threads_read WHERE member_id = :member_id ORDER BY read_at DESC;
