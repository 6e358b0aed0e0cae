-- name: add(case_id, member_id, sealed_reason, created_at)!
INSERT INTO reports (case_id, member_id, sealed_reason, created_at)
VALUES (:case_id, :member_id, :sealed_reason, :created_at)
ON CONFLICT (case_id, member_id) DO NOTHING;

-- name: count(member_id, since)^
SELECT COUNT(*) AS count FROM reports WHERE member_id = :member_id AND created_at > :since;

-- name: of_member(member_id)
SELECT case_id FROM reports WHERE member_id = :member_id;

-- name: reopen(case_id)!
UPDATE cases SET dismissed_at = NULL, dismissed_by = NULL WHERE id = :case_id;

-- name: dismiss(case_id, guild_id, dismissed_at, dismissed_by)!
UPDATE cases SET dismissed_at = :dismissed_at, dismissed_by = :dismissed_by
 WHERE id = :case_id AND guild_id = :guild_id AND dismissed_at IS NULL;

-- name: case(case_id)^
SELECT * FROM cases WHERE id = :case_id;

-- name: of_case(case_id, most)
-- The last ones, and how many there are.
SELECT sealed_reason, created_at, COUNT(*) OVER () AS reports FROM reports
 WHERE case_id = :case_id ORDER BY created_at DESC LIMIT :most;
