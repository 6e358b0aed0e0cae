-- name: find(member_id)^
SELECT sealed_token, is_refused, linked_at, player_id, player_name
  FROM links
 WHERE member_id = :member_id;

-- name: save(member_id, sealed_token, linked_at)!
INSERT INTO links (member_id, sealed_token, linked_at)
VALUES (:member_id, :sealed_token, :linked_at)
ON CONFLICT (member_id) DO UPDATE
   SET sealed_token = excluded.sealed_token,
       linked_at = excluded.linked_at,
       is_refused = FALSE,
       player_id = NULL,
       player_name = NULL;

-- name: mark_refused(member_id, sealed_token)!
-- Only the token that was refused: a newer link made meanwhile stays good.
UPDATE links
   SET is_refused = TRUE
 WHERE member_id = :member_id AND sealed_token = :sealed_token;

-- name: remember_player(member_id, sealed_token, player_id, player_name)!
UPDATE links
   SET player_id = :player_id, player_name = :player_name
 WHERE member_id = :member_id AND sealed_token = :sealed_token;

-- name: name_orders(member_id, linked_at, player_id)!
-- What was ordered before the player was known. Of two open orders for one thing, neither is named.
UPDATE orders
   SET player_id = :player_id
 WHERE member_id = :member_id AND linked_at = :linked_at AND player_id IS NULL
   AND NOT (is_open AND EXISTS (
        SELECT 1 FROM orders AS other
         WHERE other.player_id = :player_id AND other.item_id = orders.item_id
           AND other.kind = orders.kind AND other.is_open));

-- name: remove(member_id)!
DELETE FROM links WHERE member_id = :member_id;

-- name: keys()
-- Sealed tokens begin with the ids of their keys.
SELECT substr(sealed_token, 1, 4) AS key_id, COUNT(*) AS tokens
  FROM links GROUP BY substr(sealed_token, 1, 4);
