-- name: latest(member_id, limit)
SELECT member_id, comment_id, thread_id, sealed_excerpt, created_at
  FROM authored
 WHERE member_id = :member_id
 ORDER BY created_at DESC
 LIMIT :limit;

-- name: find(comment_id)^
-- Whoever asks, the thread of a comment is the same.
SELECT member_id, comment_id, thread_id, sealed_excerpt, created_at
  FROM authored
 WHERE comment_id = :comment_id;

-- name: known_between(first, last)
SELECT comment_id FROM authored WHERE comment_id BETWEEN :first AND :last;

-- name: writers(comment_id)
-- Several members may have linked the account that wrote it.
SELECT member_id FROM authored WHERE comment_id = :comment_id;

-- name: reword(comment_id, member_id, sealed_excerpt)!
UPDATE authored SET sealed_excerpt = :sealed_excerpt
 WHERE comment_id = :comment_id AND member_id = :member_id;

-- name: remember(member_id, comment_id, thread_id, sealed_excerpt, created_at, known_before)!
-- Nothing, where another text of the member has become it since.
INSERT INTO authored (member_id, comment_id, thread_id, sealed_excerpt, created_at)
VALUES (:member_id, :comment_id, :thread_id, :sealed_excerpt, :created_at)
ON CONFLICT (member_id, comment_id) DO UPDATE
   SET sealed_excerpt = excluded.sealed_excerpt, created_at = excluded.created_at
 WHERE authored.created_at < :known_before;

-- name: remove(comment_id)!
DELETE FROM authored WHERE comment_id = :comment_id;
