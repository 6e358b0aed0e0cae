-- The words that a server watches for in the game's texts.
CREATE TABLE watched_words (
    guild_id BIGINT NOT NULL,
    -- What is looked for: the word folded, with its wildcards.
    word_key TEXT NOT NULL,
    -- As it was typed.
    word TEXT NOT NULL,
    PRIMARY KEY (guild_id, word_key)
);

-- The servers whose AutoMod holds for the game's texts, and what was last read of it.
CREATE TABLE automod (
    guild_id BIGINT PRIMARY KEY,
    -- JSON, as storage/watching.py writes it.
    rules TEXT NOT NULL DEFAULT '{}',
    trouble TEXT,
    read_at BIGINT
);

CREATE INDEX automod_by_age ON automod (read_at);

-- What a comment was held back for, or came to the moderators' notice; and what it was then.
ALTER TABLE cases ADD COLUMN hit_word TEXT;
ALTER TABLE cases ADD COLUMN hit_rule TEXT;
ALTER TABLE cases ADD COLUMN hit_is_alert BOOLEAN;
ALTER TABLE cases ADD COLUMN hit_text_key TEXT;
-- The text that a moderator has let be shown; another one is held back again.
ALTER TABLE cases ADD COLUMN released_text_key TEXT;
ALTER TABLE cases ADD COLUMN released_at BIGINT;
ALTER TABLE cases ADD COLUMN released_by BIGINT;

CREATE INDEX cases_released ON cases (guild_id) WHERE released_text_key IS NOT NULL;
