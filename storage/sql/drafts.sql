-- name: add(member_id, kind, thread_id, comment_id, sealed_text, claimed_by, due_at, created_at)^
INSERT INTO drafts (member_id, kind, thread_id, comment_id, sealed_text, sealed_sent, state,
                    claimed_by, due_at, created_at)
VALUES (:member_id, :kind, :thread_id, :comment_id, :sealed_text, :sealed_text, 'unknown',
        :claimed_by, :due_at, :created_at)
RETURNING *;

-- name: find(draft_id, member_id, oldest)^
SELECT * FROM drafts
 WHERE id = :draft_id AND member_id = :member_id AND created_at >= :oldest;

-- name: waiting(member_id, now, oldest)
SELECT * FROM drafts
 WHERE member_id = :member_id AND created_at >= :oldest
   AND (claimed_by = '' OR due_at <= :now)
 ORDER BY created_at DESC;

-- name: change(draft_id, sealed_text)^
UPDATE drafts SET sealed_text = :sealed_text WHERE id = :draft_id RETURNING *;

-- name: mark_sent(draft_id, claimed_by, due_at)^
-- Before each further sending; nothing, where somebody else has taken the text over.
UPDATE drafts
   SET due_at = :due_at, state = 'unknown', sealed_sent = sealed_text
 WHERE id = :draft_id AND claimed_by = :claimed_by
RETURNING *;

-- name: note_state(draft_id, state)!
UPDATE drafts SET state = :state WHERE id = :draft_id;

-- name: left(member_id, now, oldest)
-- What a process that is gone was sending.
SELECT id FROM drafts
 WHERE member_id = :member_id AND claimed_by <> '' AND due_at <= :now AND created_at >= :oldest;

-- name: give_up(member_id, now, oldest)!
UPDATE drafts
   SET claimed_by = ''
 WHERE member_id = :member_id AND claimed_by <> '' AND due_at <= :now AND created_at >= :oldest;

-- name: remove(draft_id, claimed_by)!
DELETE FROM drafts WHERE id = :draft_id AND claimed_by = :claimed_by;

-- name: remember(draft_id, member_id, comment_id, thread_id, excerpt, created_at)!
-- After "remove"; nothing, where that removed nothing since somebody else has taken the text over.
INSERT INTO authored (member_id, comment_id, thread_id, excerpt, created_at)
SELECT :member_id, :comment_id, :thread_id, :excerpt, :created_at
 WHERE NOT EXISTS (SELECT 1 FROM drafts WHERE id = :draft_id)
ON CONFLICT (member_id, comment_id) DO UPDATE SET excerpt = excluded.excerpt;

-- name: discard(draft_id, member_id, now)!
DELETE FROM drafts
 WHERE id = :draft_id AND member_id = :member_id AND (claimed_by = '' OR due_at <= :now);

-- name: purge(oldest)!
DELETE FROM drafts WHERE created_at < :oldest;
