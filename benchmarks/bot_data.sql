-- Rows in bulk, straight into the bot's tables. Each query fills one table.

-- name: fill_links(count, sealed, now)!
INSERT INTO links (member_id, sealed_token, token_key, linked_at, player_id, player_name)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT i, :sealed, substr(hex(:sealed), 1, 8) || i, :now, i, 'Player ' || i FROM n

-- name: fill_drafts(count, sealed, now)!
INSERT INTO drafts (
    id, member_id, kind, thread_id, sealed_text, state, claimed_by, due_at, created_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT i, i, 'post', 1, :sealed, 'open', '', :now, :now FROM n

-- name: fill_orders(count, sealed, now)!
INSERT INTO orders (
    member_id, kind, item_id, catalog_id, page, item_name, cost, currency_name, currency_singular,
    confirmation, press_id, locale, state, is_open, told_state, created_at, settled_at, claimed_by,
    token_key
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
SELECT i, 'purchase', i % 3000, 1, 1, 'A hat', 10, 'Acorns', 'Acorn', i, i, 'en-GB', 'done', FALSE,
    'done', :now, :now, '', substr(hex(:sealed), 1, 8) || i
FROM n
