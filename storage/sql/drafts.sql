-- name: add(member_id, kind, thread_id, comment_id, sealed_text, state, held_until, created_at)^
INSERT INTO drafts (member_id, kind, thread_id, comment_id, sealed_text, sealed_sent, state,
                    held_until, created_at)
VALUES (:member_id, :kind, :thread_id, :comment_id, :sealed_text, :sealed_text, :state,
        :held_until, :created_at)
RETURNING id;

-- name: find(draft_id, member_id, oldest)^
SELECT id, member_id, kind, thread_id, comment_id, sealed_text, sealed_sent, state, held_until,
       created_at
  FROM drafts
 WHERE id = :draft_id AND member_id = :member_id AND created_at >= :oldest;

-- name: waiting(member_id, now, oldest)
SELECT id, member_id, kind, thread_id, comment_id, sealed_text, sealed_sent, state, held_until,
       created_at
  FROM drafts
 WHERE member_id = :member_id AND created_at >= :oldest
   AND (state <> 'sending' OR held_until <= :now)
 ORDER BY created_at DESC;

-- name: hold(draft_id, member_id, now, held_until)!
-- Whoever changes the row sends the text; held rows are somebody else's.
UPDATE drafts
   SET state = 'sending', held_until = :held_until
 WHERE id = :draft_id AND member_id = :member_id AND held_until <= :now;

-- name: release(draft_id, state, held_before, held_until)!
-- Nothing, where the hold has run out and somebody else has the row.
UPDATE drafts
   SET state = :state, held_until = :held_until
 WHERE id = :draft_id AND state = 'sending' AND held_until = :held_before;

-- name: left(member_id, now, oldest)
-- What a process that is gone was sending.
SELECT id FROM drafts
 WHERE member_id = :member_id AND state = 'sending' AND held_until <= :now
   AND created_at >= :oldest;

-- name: give_up(member_id, now, oldest)!
UPDATE drafts
   SET state = 'unknown'
 WHERE member_id = :member_id AND state = 'sending' AND held_until <= :now
   AND created_at >= :oldest;

-- name: change(draft_id, sealed_text)!
UPDATE drafts SET sealed_text = :sealed_text WHERE id = :draft_id;

-- name: renew(draft_id, held_before, held_until)!
-- Said before each further sending; nothing, where the hold has run out meanwhile.
UPDATE drafts
   SET held_until = :held_until, sealed_sent = sealed_text
 WHERE id = :draft_id AND state = 'sending' AND held_until = :held_before;

-- name: remove(draft_id)!
DELETE FROM drafts WHERE id = :draft_id;

-- name: discard(draft_id, member_id, now)!
DELETE FROM drafts
 WHERE id = :draft_id AND member_id = :member_id AND (state <> 'sending' OR held_until <= :now);

-- name: purge(oldest)!
DELETE FROM drafts WHERE created_at < :oldest;

-- name: sealed()
SELECT sealed_text FROM drafts;
