-- Rows in bulk, straight into the bot's tables. Each query fills one table.

-- name: fill_links(count, sealed, now)!
INSERT INTO links (member_id, sealed_token, token_key, linked_at, used_at, player_id, player_name)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT i, :sealed, substr(hex(:sealed), 1, 8) || i, :now, :now, i, 'Player ' || i FROM n

-- name: fill_texts(count, sealed, now)!
INSERT INTO writes (
    id, member_id, kind, place_id, sealed_body, locale, state, told, token_key, holder, created_at,
    kept_until
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT i, i, 'post', 1, :sealed, 'en-GB', 'kept', 'kept ', '', '', :now, :now FROM n

-- name: fill_orders(count, sealed, now)!
INSERT INTO writes (
    id, member_id, kind, place_id, target_id, card_id, item, locale, state, told, token_key, holder,
    created_at, asked_at, kept_until
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT :count + i, i, 'purchase', 1, i % 3000, i,
    '{"page": 1, "name": "A hat", "cost": 10, "currency_name": "Acorns", "currency_singular": "Acorn"}',
    'en-GB', 'done', 'done ',
    substr(hex(:sealed), 1, 8) || i, '', :now, :now, :now
FROM n
