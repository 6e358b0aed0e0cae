-- Since 2.1.0 servers give roles to members for what they have in the game.

CREATE TABLE role_rules (
    id {id},
    guild_id BIGINT NOT NULL,
    -- 'linked' or 'owns'
    kind TEXT NOT NULL,
    -- The item that is to be owned; 0 and empty where none is.
    catalog_id BIGINT NOT NULL,
    item_id BIGINT NOT NULL,
    item_name TEXT NOT NULL,
    role_id BIGINT NOT NULL,
    -- Whether who fulfils it no longer loses the role.
    takes_away BOOLEAN NOT NULL,
    -- Discord's code for why it refuses the role; NULL while it doesn't.
    refusal BIGINT,
    created_by BIGINT NOT NULL,
    UNIQUE (guild_id, role_id, kind, item_id)
);

-- Of a role that a member is to have, or to lose: whose it is, which one.
ALTER TABLE messages ADD COLUMN about_member BIGINT;
ALTER TABLE messages ADD COLUMN role_id BIGINT;
CREATE INDEX messages_about ON messages (about_member) WHERE about_member IS NOT NULL;

-- When it was looked last which roles a member is to have there.
ALTER TABLE member_servers ADD COLUMN looked_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX member_servers_looked ON member_servers (guild_id, looked_at);
