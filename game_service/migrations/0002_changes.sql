-- Triggers tell what has changed, whoever writes: which threads since a number, the version of a
-- top-level comment with all below it, and what moved in a thread's orders.

-- One row; its number is that of the newest change.
CREATE TABLE changes (number BIGINT NOT NULL);
INSERT INTO changes VALUES (0);
ALTER TABLE threads ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
CREATE INDEX threads_changed ON threads (changed);
ALTER TABLE comments ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN moves BIGINT NOT NULL DEFAULT 0;

-- A top-level comment that came (no old score), went (no new one) or changed its score.
CREATE TABLE moves (
    thread_id INTEGER NOT NULL,
    number BIGINT NOT NULL,
    comment_id INTEGER NOT NULL,
    old_score DOUBLE PRECISION,
    new_score DOUBLE PRECISION,
    PRIMARY KEY (thread_id, number)
) WITHOUT ROWID;

CREATE TRIGGER comment_written AFTER INSERT ON comments BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = NEW.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = NEW.root_id;
END;

CREATE TRIGGER comment_deleted AFTER DELETE ON comments BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = OLD.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = OLD.root_id;
END;

CREATE TRIGGER comment_changed
AFTER UPDATE OF content, player_id, depth, created_at, children_count, score ON comments BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = NEW.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = coalesce(NEW.root_id, NEW.id);
END;

CREATE TRIGGER player_changed
AFTER UPDATE OF screen_name, avatar, is_subscribed, verified_at ON players BEGIN
    UPDATE changes SET number = number + 1;
    UPDATE threads SET changed = (SELECT number FROM changes)
    WHERE id IN (SELECT thread_id FROM comments WHERE player_id = NEW.id);
    UPDATE comments SET version = version + 1
    WHERE id IN (SELECT coalesce(root_id, id) FROM comments WHERE player_id = NEW.id);
END;

CREATE TRIGGER comment_came AFTER INSERT ON comments WHEN NEW.parent_id IS NULL BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = NEW.thread_id;
    INSERT INTO moves SELECT id, moves, NEW.id, NULL, NEW.score FROM threads
    WHERE id = NEW.thread_id;
END;

CREATE TRIGGER comment_went AFTER DELETE ON comments WHEN OLD.parent_id IS NULL BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = OLD.thread_id;
    INSERT INTO moves SELECT id, moves, OLD.id, OLD.score, NULL FROM threads
    WHERE id = OLD.thread_id;
END;

CREATE TRIGGER comment_moved AFTER UPDATE OF score ON comments
WHEN NEW.parent_id IS NULL AND OLD.score <> NEW.score BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = NEW.thread_id;
    INSERT INTO moves SELECT id, moves, NEW.id, OLD.score, NEW.score FROM threads
    WHERE id = NEW.thread_id;
END;

-- Who is further behind than this begins anew.
CREATE TRIGGER moves_forgotten AFTER INSERT ON moves BEGIN
    DELETE FROM moves WHERE thread_id = NEW.thread_id AND number <= NEW.number - 1000;
END;
