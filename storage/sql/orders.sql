-- name: start(member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular, confirmation, locale, linked_at, created_at, claimed_by, due_at, done_since)
-- Answers no row where the member has an order open for the item, has had one done since, or has
-- confirmed this card before.
INSERT INTO orders (
    member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular,
    confirmation, locale, linked_at, created_at, claimed_by, due_at, state, is_open)
SELECT
    :member_id, :kind, :item_id, :catalog_id, :page, :item_name, :cost, :currency_name,
    :currency_singular, :confirmation, :locale, :linked_at, :created_at, :claimed_by, :due_at,
    'started', TRUE
 WHERE NOT EXISTS (
    SELECT 1 FROM orders
     WHERE member_id = :member_id AND item_id = :item_id AND kind = :kind
       AND state = 'done' AND settled_at >= :done_since)
ON CONFLICT DO NOTHING
RETURNING *;

-- name: find(order_id)^
SELECT * FROM orders WHERE id = :order_id;

-- name: find_standing(member_id, item_id, kind, confirmation, done_since)^
-- The card's own order, else the open one for the item, else one done since; the last only where
-- `done_since` is given.
SELECT * FROM orders
 WHERE member_id = :member_id
   AND (confirmation = :confirmation
        OR item_id = :item_id AND kind = :kind
           AND (is_open OR state = 'done' AND settled_at >= :done_since))
 ORDER BY confirmation = :confirmation DESC, is_open DESC, id DESC
 LIMIT 1;

-- name: find_latest(member_id, item_id, kind)^
SELECT * FROM orders
 WHERE member_id = :member_id AND item_id = :item_id AND kind = :kind
 ORDER BY id DESC
 LIMIT 1;

-- name: mark_sent(order_id, claimed_by, sent_at, due_at)^
-- Changes nothing once another process has taken the order over: then it must not be sent.
UPDATE orders
   SET sent_at = :sent_at, due_at = :due_at
 WHERE id = :order_id AND claimed_by = :claimed_by AND state = 'started' AND sent_at IS NULL
RETURNING *;

-- name: settle(order_id, state, reason, game_words, cost, is_open, settled_at, due_at)^
-- What is done stays done, whoever else comes to another view of it.
UPDATE orders
   SET state = :state, reason = :reason, game_words = :game_words, cost = :cost,
       is_open = :is_open, settled_at = :settled_at, due_at = :due_at
 WHERE id = :order_id AND state <> 'done'
RETURNING *;

-- name: mark_told(order_id, state, due_at)!
-- An order under way stays due: whoever was told so may be another process than the one at work.
UPDATE orders
   SET told_state = :state, due_at = :due_at
 WHERE id = :order_id AND state = :state AND state <> 'started';

-- name: due(now, most)
SELECT * FROM orders WHERE due_at <= :now ORDER BY due_at LIMIT :most;

-- name: history(member_id, most, offset)
SELECT * FROM orders
 WHERE member_id = :member_id
 ORDER BY id DESC
 LIMIT :most OFFSET :offset;
