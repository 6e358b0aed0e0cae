-- Everywhere, an order is of an account if it was made through the same link, with the same token,
-- or for the same player. Beside an open order, these stand in the way of another one for the same
-- item: one that is done, and one in doubt, which is unknown or, asked for since `doubted_since`,
-- taken for not bought. What is that new and in doubt stands in its member's way after another link,
-- too: it may be the same account with a new token. Those up to `despite` the member has seen, and
-- orders all the same; but not in spite of what was found to be done since `disputed_since`.

-- name: start(member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular, confirmation, locale, linked_at, player_id, token_key, icon_url, created_at, claimed_by, due_at)
-- Answers no row where another order is open, or the card was confirmed before.
INSERT INTO orders (
    member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular,
    confirmation, locale, linked_at, player_id, token_key, icon_url, created_at, claimed_by,
    due_at, state, is_open)
VALUES (
    :member_id, :kind, :item_id, :catalog_id, :page, :item_name, :cost, :currency_name,
    :currency_singular, :confirmation, :locale, :linked_at, :player_id, :token_key, :icon_url,
    :created_at, :claimed_by, :due_at, 'started', TRUE)
ON CONFLICT DO NOTHING
RETURNING *;

-- name: find_ended(order_id, member_id, linked_at, player_id, token_key, item_id, kind, despite, doubted_since, disputed_since)^
-- What is not open any more, and stands in the way of an order that was written all the same.
SELECT id FROM orders
 WHERE item_id = :item_id AND kind = :kind AND id <> :order_id
   AND (id > :despite OR state = 'done' AND COALESCE(settled_at, created_at) > :disputed_since)
   AND (member_id = :member_id
        AND (linked_at = :linked_at OR state <> 'done' AND sent_at > :doubted_since)
        OR token_key = :token_key OR player_id = :player_id)
   AND (state IN ('done', 'unknown')
        OR reason = 'no answer' AND sent_at > :doubted_since)
 LIMIT 1;

-- name: find(order_id)^
SELECT * FROM orders WHERE id = :order_id;

-- name: find_standing(member_id, linked_at, player_id, token_key, item_id, kind, confirmation, despite, doubted_since, disputed_since)^
-- The card's own order, else the open one, else one that is done, else the last one in doubt.
SELECT * FROM orders
 WHERE member_id = :member_id AND confirmation = :confirmation
    OR item_id = :item_id AND kind = :kind
       AND (member_id = :member_id
            AND (is_open OR linked_at = :linked_at OR state <> 'done' AND sent_at > :doubted_since)
            OR token_key = :token_key OR player_id = :player_id)
       AND (is_open
            OR (id > :despite OR state = 'done' AND COALESCE(settled_at, created_at) > :disputed_since)
               AND (state IN ('done', 'unknown')
                    OR reason = 'no answer' AND sent_at > :doubted_since))
 ORDER BY confirmation = :confirmation DESC, is_open DESC, state = 'done' DESC, id DESC
 LIMIT 1;

-- name: bought(member_id, linked_at, player_id, token_key)
SELECT DISTINCT item_id FROM orders
 WHERE kind = 'purchase' AND state = 'done'
   AND (member_id = :member_id AND linked_at = :linked_at
        OR token_key = :token_key OR player_id = :player_id);

-- name: find_bought_otherwise(order_id, item_id, kind, member_id, linked_at, player_id, token_key)^
SELECT id FROM orders
 WHERE id <> :order_id AND item_id = :item_id AND kind = :kind AND state = 'done'
   AND (member_id = :member_id AND linked_at = :linked_at
        OR token_key = :token_key OR player_id = :player_id)
 LIMIT 1;

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

-- name: hold_alike(order_id)!
-- The orders of an account for the same, for as long as the transaction lasts.
UPDATE orders SET state = state
 WHERE id IN (
       SELECT other.id FROM orders AS one JOIN orders AS other
           ON other.item_id = one.item_id AND other.kind = one.kind
          AND (other.member_id = one.member_id AND other.linked_at = one.linked_at
               OR other.token_key = one.token_key OR other.player_id = one.player_id)
        WHERE one.id = :order_id);

-- name: settle(order_id, state, reason, game_words, cost, is_open, settled_at, due_at, was_seen)^
-- What is done stays done, whoever else comes to another view of it. What was seen to be owned after
-- a refusal is owed to one order alone. That nobody looks any more is news even where the state is
-- an old one.
UPDATE orders
   SET state = :state, reason = :reason, game_words = :game_words, cost = :cost,
       is_open = :is_open, settled_at = :settled_at, due_at = :due_at,
       told_state = CASE WHEN state = :state AND is_open AND NOT :is_open THEN NULL
                         ELSE told_state END
 WHERE id = :order_id AND state <> 'done'
   AND NOT (:was_seen AND :state = 'done' AND state = 'refused' AND EXISTS (
        SELECT 1 FROM orders AS other
         WHERE other.id <> orders.id AND other.item_id = orders.item_id
           AND other.kind = orders.kind AND other.state = 'done'
           AND (other.member_id = orders.member_id AND other.linked_at = orders.linked_at
                OR other.token_key = orders.token_key OR other.player_id = orders.player_id)))
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
