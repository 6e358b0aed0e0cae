-- The start of a comment's text, sealed; `excerpt` is empty then.
ALTER TABLE authored ADD COLUMN sealed_excerpt BYTEA;
-- What a message says, sealed; `body` is empty then.
ALTER TABLE inbox ADD COLUMN sealed_body BYTEA;

-- By age, for what is thrown out; see storage/keeping.py.
CREATE INDEX drafts_by_age ON drafts (created_at);
CREATE INDEX outcomes_by_age ON outcomes (created_at);
CREATE INDEX authored_by_age ON authored (created_at);
CREATE INDEX orders_by_age ON orders (created_at) WHERE due_at IS NULL;
CREATE INDEX inbox_by_age ON inbox (created_at);
CREATE INDEX shown_messages_by_age ON shown_messages (created_at);
CREATE INDEX shown_messages_of_guild ON shown_messages (guild_id);
CREATE INDEX outbox_of_member ON outbox (member_id) WHERE member_id IS NOT NULL;
-- What was not sealed yet when this version came.
CREATE INDEX authored_unsealed ON authored (comment_id) WHERE excerpt <> '';
CREATE INDEX inbox_unsealed ON inbox (id) WHERE body <> '';
