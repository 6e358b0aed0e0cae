-- name: start(member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular, confirmation, press_id, locale, token_key, icon_url, created_at, claimed_by, due_at)
-- Answers no row where another order of the member's is open, or the card was confirmed before.
INSERT INTO orders (
    member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular,
    confirmation, press_id, locale, token_key, icon_url, created_at, claimed_by, due_at, state,
    is_open)
VALUES (
    :member_id, :kind, :item_id, :catalog_id, :page, :item_name, :cost, :currency_name,
    :currency_singular, :confirmation, :press_id, :locale, :token_key, :icon_url, :created_at,
    :claimed_by, :due_at, 'started', TRUE)
ON CONFLICT DO NOTHING
RETURNING *;

-- name: find(order_id)^
SELECT * FROM orders WHERE id = :order_id;

-- name: find_standing(order_id, member_id, token_key, item_id, kind, confirmation, since)^
-- The card's own order, else the open one, else the last one; none of them the order of the id.
SELECT * FROM orders
 WHERE id <> :order_id
   AND (member_id = :member_id AND confirmation = :confirmation
        OR item_id = :item_id AND kind = :kind
           AND (member_id = :member_id OR token_key = :token_key)
           AND (is_open
                OR kind = 'purchase' AND sent_at > :since
                   AND (state IN ('done', 'unknown') OR reason = 'no answer')
                OR kind = 'redeem' AND press_id > :confirmation AND state IN ('done', 'unknown')))
 ORDER BY confirmation = :confirmation DESC, is_open DESC, id DESC
 LIMIT 1;

-- name: bought(token_key, since)
SELECT DISTINCT item_id FROM orders
 WHERE token_key = :token_key AND kind = 'purchase' AND state = 'done' AND sent_at > :since;

-- name: withdraw(order_id, claimed_by)!
DELETE FROM orders
 WHERE id = :order_id AND claimed_by = :claimed_by AND state = 'started' AND sent_at IS NULL;

-- name: mark_sent(order_id, claimed_by, page, item_name, cost, currency_name, currency_singular, icon_url, sent_at, due_at)^
-- Changes nothing once another process has taken the order over: then it must not be sent.
UPDATE orders
   SET page = :page, item_name = :item_name, cost = :cost, currency_name = :currency_name,
       currency_singular = :currency_singular, icon_url = :icon_url, sent_at = :sent_at,
       due_at = :due_at
 WHERE id = :order_id AND claimed_by = :claimed_by AND state = 'started' AND sent_at IS NULL
RETURNING *;

-- name: settle(order_id, state, reason, game_words, cost, is_open, settled_at, due_at)^
-- What is done stays done, whoever else comes to another view of it. That nobody looks any more is
-- news even where the state is an old one.
UPDATE orders
   SET state = :state, reason = :reason, game_words = :game_words, cost = :cost,
       is_open = :is_open, settled_at = :settled_at, due_at = :due_at,
       told_state = CASE WHEN state = :state AND is_open AND NOT :is_open THEN NULL
                         ELSE told_state END
 WHERE id = :order_id AND state <> 'done'
RETURNING *;

-- name: mark_told(order_id, state, is_open, due_at)^
-- An order under way stays due: whoever was told so may be another process than the one at work.
UPDATE orders
   SET told_state = :state, due_at = :due_at
 WHERE id = :order_id AND state = :state AND is_open = :is_open AND state <> 'started'
RETURNING id;

-- name: due(now, most)
SELECT * FROM orders WHERE due_at <= :now ORDER BY due_at LIMIT :most;

-- name: history(member_id, most, offset)
SELECT * FROM orders
 WHERE member_id = :member_id
 ORDER BY is_open DESC, id DESC
 LIMIT :most OFFSET :offset;
