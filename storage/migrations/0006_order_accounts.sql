-- Whose account an order is for, since several members may have linked one: its player where that
-- is known, and a keyed hash of its token.
ALTER TABLE orders ADD COLUMN player_id BIGINT;
ALTER TABLE orders ADD COLUMN token_key TEXT;

-- One order of an account is open for an item, whoever confirmed it.
CREATE UNIQUE INDEX orders_open_for_player ON orders (player_id, item_id, kind) WHERE is_open;
CREATE UNIQUE INDEX orders_open_for_token ON orders (token_key, item_id, kind) WHERE is_open;
CREATE INDEX orders_of_player ON orders (player_id, item_id) WHERE player_id IS NOT NULL;
CREATE INDEX orders_of_token ON orders (token_key, item_id) WHERE token_key IS NOT NULL;
