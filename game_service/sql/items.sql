-- name: list_items(player_id, catalog_id, limit, offset)
SELECT i.id, i.name, i.cost, i.icon, i.paper, i.no_eye, i.is_clearance, i.is_coin_code_item,
    i.is_member_item, bought.item_id IS NOT NULL AS has_purchased,
    c.id AS currency_id, c.name AS currency_name, c.singular_name AS currency_singular_name,
    c.icon AS currency_icon, t.id AS type_id, t.name AS type_name, t.image AS type_image
FROM items AS i
JOIN currencies AS c ON c.id = i.currency_id
JOIN item_types AS t ON t.id = i.item_type_id
LEFT JOIN purchases AS bought ON bought.item_id = i.id AND bought.player_id = :player_id
WHERE i.catalog_id = :catalog_id AND NOT i.is_gone
ORDER BY i.id
LIMIT :limit OFFSET :offset

-- name: find_catalog(catalog_id)
SELECT id FROM catalogs WHERE id = :catalog_id

-- name: find_item(item_id)
SELECT i.id, i.name, i.cost, i.is_member_item, c.id AS currency_id, c.name AS currency_name,
    c.singular_name AS currency_singular_name
FROM items AS i JOIN currencies AS c ON c.id = i.currency_id
WHERE i.id = :item_id AND NOT i.is_gone

-- name: grant_item(player_id, item_id, currency_id, cost, created_at)!
INSERT INTO purchases (player_id, item_id, currency_id, cost, created_at)
VALUES (:player_id, :item_id, :currency_id, :cost, :created_at)
ON CONFLICT (player_id, item_id) DO NOTHING

-- name: take_from_balance(cost, player_id, currency_id)!
UPDATE balances SET amount = amount - :cost
WHERE player_id = :player_id AND currency_id = :currency_id AND amount >= :cost

-- name: find_item_at_park(item_id, park)
SELECT item_id FROM item_parks WHERE item_id = :item_id AND park = :park

-- name: record_redemption(player_id, item_id, created_at)!
INSERT INTO redemptions (player_id, item_id, created_at)
VALUES (:player_id, :item_id, :created_at)
ON CONFLICT (player_id, item_id) DO NOTHING
