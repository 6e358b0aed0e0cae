-- As in 0060, 0065, 0070 and 0071: a server's cases are read some at a time.

CREATE INDEX cases_by_number ON cases (guild_id, id);
CREATE INDEX cases_released_by_number ON cases (guild_id, id) WHERE released_text_key IS NOT NULL;
DROP INDEX cases_released;
