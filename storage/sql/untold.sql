-- name: any(member_id)^
SELECT 1 AS waits FROM drafts WHERE member_id = :member_id AND is_told = FALSE
 UNION ALL
SELECT 1 FROM outcomes WHERE member_id = :member_id
 UNION ALL
SELECT 1 FROM inbox WHERE member_id = :member_id
 LIMIT 1;

-- name: of_member(member_id, oldest)
SELECT * FROM outcomes
 WHERE member_id = :member_id AND created_at >= :oldest
 ORDER BY created_at;

-- name: drafts(before, oldest, most)
-- What is in nobody's hands any more, and is neither owed nor was it told or refused.
SELECT id, member_id, locale, 'text ' || id || ' ' || due_at AS key FROM drafts
 WHERE is_told = FALSE AND claimed_by = '' AND due_at <= :before AND created_at >= :oldest
   AND NOT EXISTS (
       SELECT 1 FROM messages WHERE messages.key = 'text ' || drafts.id || ' ' || drafts.due_at)
 LIMIT :most;

-- name: outcomes(before, oldest, most)
SELECT id, member_id, locale, 'outcome ' || id AS key FROM outcomes
 WHERE created_at <= :before AND created_at >= :oldest
   AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.key = 'outcome ' || outcomes.id)
 LIMIT :most;

-- name: draft(draft_id)^
SELECT id FROM drafts WHERE id = :draft_id AND is_told = FALSE AND claimed_by = '';

-- name: outcome(draft_id)^
SELECT * FROM outcomes WHERE id = :draft_id;

-- name: tell_drafts(member_id, before)!
-- One message stands for all that waited when it was owed.
UPDATE drafts SET is_told = TRUE
 WHERE member_id = :member_id AND claimed_by = '' AND due_at <= :before;

-- name: tell_outcome(draft_id)!
DELETE FROM outcomes WHERE id = :draft_id;
