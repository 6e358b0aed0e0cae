-- Since 2.0.0 a token that nobody has used for twelve months is deleted.

-- The day, in UTC. Of links that 1.0.0 has made nobody knows it: it is the day of this step.
ALTER TABLE links ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;
-- The catalog that was read with the token then; NULL where its member used it.
ALTER TABLE links ADD COLUMN read_catalog_id BIGINT;
-- When it is deleted, which its member was told; NULL unless nobody has used it for eleven months.
ALTER TABLE links ADD COLUMN kept_until BIGINT;
-- The language to tell its member in.
ALTER TABLE links ADD COLUMN locale TEXT NOT NULL DEFAULT '';
UPDATE links
   SET locale = newest.locale
  FROM (SELECT member_id, locale FROM writes
         WHERE id IN (SELECT MAX(id) FROM writes GROUP BY member_id)
         UNION ALL
        SELECT created_by, locale FROM subscriptions
         WHERE id IN (SELECT MAX(id) FROM subscriptions GROUP BY created_by)
           AND created_by NOT IN (SELECT member_id FROM writes)) AS newest
 WHERE newest.member_id = links.member_id;
-- only sqlite
UPDATE links SET used_at = CAST(strftime('%s', 'now') AS INTEGER) / 86400 * 86400000000;
-- only postgresql
UPDATE links SET used_at = CAST(floor(extract(epoch FROM now()) / 86400) AS BIGINT) * 86400000000;
