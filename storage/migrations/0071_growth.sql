-- As in 0060, 0065 and 0070: what a million rows in each table showed.

-- Nothing reads by them since others hold more of what is asked for.
DROP INDEX orders_by_age;
DROP INDEX pauses_by_number;
DROP INDEX cases_with_text;
DROP INDEX moderation_of_few_days;

CREATE INDEX cases_without_card ON cases (guild_id, id)
 WHERE hit_text_key IS NOT NULL AND log_version = 0;
