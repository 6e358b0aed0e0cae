-- name: hear(draft_id, member_id, created_at)!
INSERT INTO heard (id, member_id, heard_at) VALUES (:draft_id, :member_id, :created_at);

-- name: add(draft_id, member_id, kind, thread_id, comment_id, sealed_text, claimed_by, due_at, created_at, locale, oldest, most)^
-- Nothing, where a member has as many as may be kept.
INSERT INTO drafts (id, member_id, kind, thread_id, comment_id, sealed_text, state, claimed_by,
                    due_at, created_at, locale)
SELECT :draft_id, :member_id, :kind, :thread_id, :comment_id, :sealed_text, 'open', :claimed_by,
       :due_at, :created_at, CAST(:locale AS TEXT)
 WHERE (SELECT COUNT(*) FROM drafts
         WHERE member_id = :member_id AND created_at >= :oldest) < :most
RETURNING *;

-- name: find(draft_id, member_id, oldest)^
SELECT * FROM drafts
 WHERE id = :draft_id AND member_id = :member_id AND created_at >= :oldest;

-- name: of_member(member_id, oldest)
SELECT * FROM drafts
 WHERE member_id = :member_id AND created_at >= :oldest
 ORDER BY created_at DESC;

-- name: left_behind(now)
SELECT * FROM drafts WHERE claimed_by <> '' AND due_at <= :now;

-- name: reword(draft_id, sealed_text, now)!
-- Nothing, once the game may have it.
UPDATE drafts SET sealed_text = :sealed_text
 WHERE id = :draft_id AND state = 'open' AND due_at <= :now;

-- name: note_untold(draft_id)^
UPDATE drafts SET is_told = FALSE WHERE id = :draft_id RETURNING *;

-- name: drop_overtaken(draft_id, member_id, comment_id, claimed_by)!
DELETE FROM drafts
 WHERE id = :draft_id AND claimed_by = :claimed_by
   AND EXISTS (SELECT 1 FROM drafts
                WHERE member_id = :member_id AND comment_id = :comment_id
                  AND kind IN ('edit', 'delete') AND id > :draft_id);

-- name: drop_older(draft_id, member_id, comment_id)!
DELETE FROM drafts
 WHERE member_id = :member_id AND comment_id = :comment_id AND kind IN ('edit', 'delete')
   AND id < :draft_id AND claimed_by <> '';

-- name: mark_sent(draft_id, claimed_by, due_at, sent_at, newest_before, player_id)^
-- Nothing, where somebody else has taken the text over. What may have arrived of an earlier sending
-- is looked for from there on, and as anybody's where another player sends it now.
UPDATE drafts
   SET due_at = :due_at, state = 'unknown', arrives_until = :due_at,
       sent_at = CASE WHEN state = 'open' THEN :sent_at ELSE COALESCE(sent_at, :sent_at) END,
       newest_before = CASE WHEN state = 'open' THEN :newest_before
                            ELSE COALESCE(newest_before, :newest_before) END,
       player_id = CASE WHEN state = 'open' OR player_id = :player_id
                        THEN CAST(:player_id AS BIGINT) END
 WHERE id = :draft_id AND claimed_by = :claimed_by
RETURNING *;

-- name: note_state(draft_id, state)!
UPDATE drafts
   SET state = :state,
       arrives_until = CASE WHEN :state = 'open' THEN NULL ELSE arrives_until END
 WHERE id = :draft_id;

-- name: note_told(draft_id, claimed_by)!
-- Nothing, where it was taken since.
UPDATE drafts SET is_told = TRUE WHERE id = :draft_id AND claimed_by = :claimed_by;

-- name: rule_out(draft_id, member_id, comment_id)!
UPDATE drafts SET ruled_out = ruled_out || ' ' || CAST(:comment_id AS TEXT)
 WHERE id = :draft_id AND member_id = :member_id;

-- name: become_post(draft_id, claimed_by)^
UPDATE drafts SET kind = 'post', comment_id = NULL
 WHERE id = :draft_id AND claimed_by = :claimed_by
RETURNING *;

-- name: remove(draft_id, claimed_by)!
DELETE FROM drafts WHERE id = :draft_id AND claimed_by = :claimed_by;

-- name: note_outcome(draft_id, member_id, kind, thread_id, created_at, locale)!
INSERT INTO outcomes (id, member_id, kind, thread_id, created_at, locale)
VALUES (:draft_id, :member_id, :kind, :thread_id, :created_at, :locale)
ON CONFLICT (id) DO NOTHING;

-- name: discard(draft_id, member_id, now)!
DELETE FROM drafts
 WHERE id = :draft_id AND member_id = :member_id AND (claimed_by = '' OR due_at <= :now);
