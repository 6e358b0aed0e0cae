-- name: insert_thread(name)
INSERT INTO threads (name) VALUES (:name) RETURNING id

-- name: insert_catalog(name)
INSERT INTO catalogs (name) VALUES (:name) RETURNING id

-- name: find_catalog(id)
SELECT id FROM catalogs WHERE id = :id

-- name: find_item(id)
SELECT id FROM items WHERE id = :id

-- name: find_player(id)
SELECT id FROM players WHERE id = :id

-- name: insert_currency(name, singular_name, icon)!
INSERT INTO currencies (name, singular_name, icon) VALUES (:name, :singular_name, :icon)
ON CONFLICT (name) DO NOTHING

-- name: find_currency(name)
SELECT id FROM currencies WHERE name = :name

-- name: insert_item_type(name, image)!
INSERT INTO item_types (name, image) VALUES (:name, :image)
ON CONFLICT (name) DO NOTHING

-- name: find_item_type(name)
SELECT id FROM item_types WHERE name = :name

-- name: insert_item(catalog_id, currency_id, item_type_id, name, cost, icon, paper, no_eye, is_clearance, is_coin_code_item, is_member_item)
INSERT INTO items (catalog_id, currency_id, item_type_id, name, cost, icon, paper, no_eye,
    is_clearance, is_coin_code_item, is_member_item)
VALUES (:catalog_id, :currency_id, :item_type_id, :name, :cost, :icon, :paper, :no_eye,
    :is_clearance, :is_coin_code_item, :is_member_item)
RETURNING id

-- name: update_item(cost, is_clearance, is_member_item, is_gone, item_id)!
UPDATE items SET
    cost = coalesce(:cost, cost),
    is_clearance = coalesce(:is_clearance, is_clearance),
    is_member_item = coalesce(:is_member_item, is_member_item),
    is_gone = coalesce(:is_gone, is_gone)
WHERE id = :item_id

-- name: clear_parks(item_id)!
DELETE FROM item_parks WHERE item_id = :item_id

-- name: insert_park(item_id, park)!
INSERT INTO item_parks (item_id, park) VALUES (:item_id, :park)
ON CONFLICT (item_id, park) DO NOTHING

-- name: insert_player(screen_name, avatar, is_subscribed, verified_at, park)
INSERT INTO players (screen_name, avatar, is_subscribed, verified_at, park)
VALUES (:screen_name, :avatar, :is_subscribed, :verified_at, :park)
RETURNING id

-- name: set_balance(player_id, currency_id, amount)!
INSERT INTO balances (player_id, currency_id, amount) VALUES (:player_id, :currency_id, :amount)
ON CONFLICT (player_id, currency_id) DO UPDATE SET amount = excluded.amount

-- name: find_token(hash)
SELECT player_id FROM tokens WHERE hash = :hash

-- name: insert_token(hash, player_id, created_at)!
INSERT INTO tokens (hash, player_id, created_at) VALUES (:hash, :player_id, :created_at)
ON CONFLICT (hash) DO NOTHING

-- name: is_filled()
SELECT EXISTS (SELECT 1 FROM players) OR EXISTS (SELECT 1 FROM threads)
    OR EXISTS (SELECT 1 FROM catalogs) AS is_filled

-- name: find_answering(comment_id, player_id)
SELECT thread_id, players.id AS player_id
  FROM comments JOIN players
    ON players.id = CAST(:player_id AS BIGINT)
       OR CAST(:player_id AS BIGINT) IS NULL AND players.id <> comments.player_id
 WHERE comments.id = :comment_id
 ORDER BY players.id LIMIT 1
