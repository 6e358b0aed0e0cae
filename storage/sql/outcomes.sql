-- name: of_member(member_id, oldest)
SELECT * FROM outcomes
 WHERE member_id = :member_id AND created_at >= :oldest
 ORDER BY created_at;

-- name: remove(draft_id)!
DELETE FROM outcomes WHERE id = :draft_id;
