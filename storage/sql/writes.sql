-- {clock} is the time by the database's own clock, by which alone processes hold a write.
-- name: keep(id, member_id, kind, place_id, target_id, sealed_body, locale, state, token_key, card_id, item, holder, lease, created_at, kept_until)!
INSERT INTO writes (id, member_id, kind, place_id, target_id, sealed_body, locale, state, token_key,
                    card_id, item, holder, due_at, created_at, kept_until)
VALUES (:id, :member_id, :kind, :place_id, :target_id, :sealed_body, :locale, :state, :token_key,
        :card_id, :item, :holder, {clock} + :lease, :created_at, :kept_until);

-- name: withdraw(id)!
DELETE FROM writes WHERE id = :id AND state = 'kept' AND card_id IS NOT NULL;

-- name: find_blocking(id, member_id, token_key, item_id, kind, card_id, since)^
SELECT * FROM writes
 WHERE id <> :id
   AND (member_id = :member_id AND card_id = :card_id
        OR target_id = :item_id AND kind = :kind
           AND (member_id = :member_id OR token_key = :token_key)
           AND (is_open
                OR kind = 'purchase' AND state = 'done' AND asked_at > :since
                OR kind <> 'purchase' AND state IN ('done', 'unknown') AND id > :card_id))
 ORDER BY card_id = :card_id DESC, is_open DESC, id DESC
 LIMIT 1;

-- name: bought(token_key, since)
SELECT DISTINCT target_id FROM writes
 WHERE token_key = :token_key AND card_id IS NOT NULL AND kind = 'purchase' AND state = 'done'
   AND asked_at > :since;

-- name: orders_of(member_id, token_key, refused_since, not_redeemed)
-- What is done is on an account. What isn't concerns the member, whatever account is linked.
SELECT * FROM writes AS ordered
 WHERE member_id = :member_id AND card_id IS NOT NULL
   AND (token_key = :token_key OR state <> 'done')
   AND (state <> 'refused' OR created_at > :refused_since)
   AND (NOT :not_redeemed
        OR kind = 'purchase' AND state = 'done'
           AND NOT EXISTS (SELECT 1 FROM writes AS redeemed
                            WHERE redeemed.token_key = ordered.token_key
                              AND redeemed.target_id = ordered.target_id
                              AND redeemed.card_id IS NOT NULL
                              AND redeemed.kind = 'redeem' AND redeemed.state = 'done'))
 ORDER BY is_open DESC, id DESC;

-- name: purchases_of(member_id, token_key)
SELECT item FROM writes
 WHERE member_id = :member_id AND token_key = :token_key AND card_id IS NOT NULL
   AND kind = 'purchase' AND state = 'done'
 ORDER BY id DESC;

-- name: find(id)^
SELECT * FROM writes WHERE id = :id;

-- name: unsent(member_id, oldest)
SELECT * FROM writes
 WHERE member_id = :member_id AND state IN ('kept', 'sent', 'unknown') AND card_id IS NULL
   AND created_at >= :oldest
 ORDER BY id DESC;

-- name: due(most)
-- The clock is asked once, and not for each row, which no index could find.
SELECT * FROM writes WHERE due_at <= (SELECT {clock}) ORDER BY due_at LIMIT :most;

-- name: take(id, holder, lease)^
UPDATE writes SET holder = :holder, due_at = {clock} + :lease
 WHERE id = :id AND (holder = '' OR due_at <= {clock})
RETURNING *;

-- name: save(id, holder, kind, place_id, target_id, sealed_body, state, reason, game_words, result_id, token_key, player_id, newest_before, item, lease, sent_at, asked_at, kept_until, asked_here)!
-- That it is done holds after a lease, too: the game has said so. What the game said to the one who
-- asked holds over the doubt of another, unless it was sent again since.
UPDATE writes
   SET holder = :holder, kind = :kind, place_id = :place_id, target_id = :target_id,
       sealed_body = COALESCE(:sealed_body, sealed_body), state = :state, reason = :reason,
       game_words = :game_words, result_id = :result_id,
       token_key = :token_key, player_id = :player_id, newest_before = :newest_before,
       item = :item, due_at = {clock} + :lease, sent_at = :sent_at, asked_at = :asked_at,
       kept_until = :kept_until
 WHERE id = :id AND state <> 'done'
   AND (holder = :holder OR :state = 'done'
        OR :asked_here AND state IN ('sent', 'unknown') AND :state IN ('kept', 'refused')
           AND asked_at = :asked_at);

-- name: release(id, holder, state_and_reason, is_told, due_in)!
-- Nothing, if its outcome couldn't be stored: it is checked once the lease is over.
UPDATE writes
   SET holder = '', due_at = {clock} + :due_in,
       told = CASE WHEN :is_told THEN :state_and_reason ELSE told END
 WHERE id = :id AND holder = :holder AND state || ' ' || COALESCE(reason, '') = :state_and_reason;

-- name: note_told(id, state_and_reason)!
UPDATE writes SET told = :state_and_reason
 WHERE id = :id AND state || ' ' || COALESCE(reason, '') = :state_and_reason;

-- name: discard(id, member_id, kept_until)!
-- Its row stays, so that its interaction is not processed again.
UPDATE writes
   SET state = 'refused', reason = NULL, told = 'refused ', sealed_body = NULL, holder = '',
       due_at = NULL, kept_until = :kept_until
 WHERE id = :id AND member_id = :member_id AND card_id IS NULL
   AND state IN ('kept', 'sent', 'unknown') AND (holder = '' OR due_at <= {clock});

-- name: newer_change(id)^
-- A change that its writer has sent again is as new as that.
SELECT newer.id FROM writes AS older JOIN writes AS newer ON newer.target_id = older.target_id
 WHERE older.id = :id AND newer.kind IN ('edit', 'delete')
   AND newer.state IN ('kept', 'sent', 'done', 'unknown')
   AND (COALESCE(newer.asked_at, newer.created_at), newer.id)
       > (COALESCE(older.asked_at, older.created_at), older.id)
 LIMIT 1;

-- name: comments_of(member_id, most)
SELECT * FROM writes
 WHERE member_id = :member_id AND result_id IS NOT NULL
 ORDER BY id DESC
 LIMIT :most;

-- name: done_in(member_id, thread_id, since)
SELECT id FROM writes
 WHERE member_id = :member_id AND place_id = :thread_id AND card_id IS NULL AND state = 'done'
   AND asked_at > :since;

-- name: find_comment(comment_id)^
SELECT * FROM writes WHERE result_id = :comment_id;

-- name: known_between(first, last)
SELECT result_id FROM writes WHERE result_id BETWEEN :first AND :last;

-- name: reword(id, sealed_body)!
UPDATE writes SET sealed_body = :sealed_body WHERE id = :id;

-- name: forget_comment(comment_id)!
UPDATE writes SET result_id = NULL, sealed_body = NULL WHERE result_id = :comment_id;
