-- As in 0060 and 0065: what a million rows in each table showed.

CREATE INDEX outbox_by_age ON outbox (created_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_by_reason ON outbox (substr(reason, 1, 9)) WHERE due_at IS NOT NULL;

CREATE INDEX orders_at_rest ON orders (created_at, state) WHERE due_at IS NULL;
CREATE INDEX orders_to_look_at ON orders (created_at, state) WHERE due_at IS NOT NULL;
CREATE INDEX orders_open_by_age ON orders (created_at) WHERE is_open;

CREATE INDEX names_of_kind ON names (kind, game_id);
CREATE INDEX emojis_made ON emojis (key, name, emoji_id) WHERE emoji_id IS NOT NULL;
CREATE INDEX emojis_due ON emojis (due_at, key) WHERE due_at IS NOT NULL;
CREATE INDEX claims_by_holder ON claims (holder);
CREATE INDEX follows_by_creator ON follows (created_by);
CREATE INDEX follow_posts_by_age ON follow_posts (noted_at);
CREATE INDEX announcements_owed ON announcements (subscription_id) WHERE state = 'owed';

CREATE INDEX pauses_by_number_and_account ON pauses (number, account_id);

-- Servers keep them for as long as each wants to.
CREATE INDEX cases_with_text_of_guild ON cases (guild_id, touched_at) WHERE sealed_text IS NOT NULL;
