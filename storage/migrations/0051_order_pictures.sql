-- The item's picture, for the receipt.
ALTER TABLE orders ADD COLUMN icon_url TEXT;
