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
    thread_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    comment_id BIGINT NOT NULL,
    old_score DOUBLE PRECISION,
    new_score DOUBLE PRECISION,
    PRIMARY KEY (thread_id, number)
);

-- The bodies are quoted as text: a step is cut into statements where text ends.

-- Before anything else is locked, and held until the end: numbers come to last in their order.
CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    UPDATE changes SET number = number + 1;
    RETURN NULL;
END';

CREATE FUNCTION note_comment() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    it comments := CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END;
BEGIN
    UPDATE threads SET changed = (SELECT number FROM changes) WHERE id = it.thread_id;
    UPDATE comments SET version = version + 1 WHERE id = coalesce(it.root_id, it.id);
    RETURN NULL;
END';

CREATE FUNCTION note_player() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    UPDATE threads SET changed = (SELECT number FROM changes)
    WHERE id IN (SELECT thread_id FROM comments WHERE player_id = NEW.id);
    UPDATE comments SET version = version + 1
    WHERE id IN (SELECT coalesce(root_id, id) FROM comments WHERE player_id = NEW.id);
    RETURN NULL;
END';

-- Who is further behind than a thousand moves begins anew.
CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS '
DECLARE
    it comments := CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END;
    newest BIGINT;
BEGIN
    UPDATE threads SET moves = moves + 1 WHERE id = it.thread_id RETURNING moves INTO newest;
    INSERT INTO moves VALUES (
        it.thread_id,
        newest,
        it.id,
        CASE TG_OP WHEN ''INSERT'' THEN NULL ELSE OLD.score END,
        CASE TG_OP WHEN ''DELETE'' THEN NULL ELSE NEW.score END
    );
    DELETE FROM moves WHERE thread_id = it.thread_id AND number <= newest - 1000;
    RETURN NULL;
END';

-- OR REPLACE: without it, they would be taken for SQLite's, which end otherwise.
CREATE OR REPLACE TRIGGER change_counted BEFORE INSERT OR DELETE OR UPDATE
OF content, player_id, depth, created_at, children_count, score ON comments
FOR EACH STATEMENT EXECUTE FUNCTION count_change();

CREATE OR REPLACE TRIGGER comment_written AFTER INSERT OR DELETE OR UPDATE
OF content, player_id, depth, created_at, children_count, score ON comments
FOR EACH ROW EXECUTE FUNCTION note_comment();

CREATE OR REPLACE TRIGGER player_counted BEFORE UPDATE
OF screen_name, avatar, is_subscribed, verified_at ON players
FOR EACH STATEMENT EXECUTE FUNCTION count_change();

CREATE OR REPLACE TRIGGER player_changed AFTER UPDATE
OF screen_name, avatar, is_subscribed, verified_at ON players
FOR EACH ROW EXECUTE FUNCTION note_player();

CREATE OR REPLACE TRIGGER comment_came AFTER INSERT ON comments
FOR EACH ROW WHEN (NEW.parent_id IS NULL) EXECUTE FUNCTION note_move();

CREATE OR REPLACE TRIGGER comment_went AFTER DELETE ON comments
FOR EACH ROW WHEN (OLD.parent_id IS NULL) EXECUTE FUNCTION note_move();

CREATE OR REPLACE TRIGGER comment_moved AFTER UPDATE OF score ON comments
FOR EACH ROW WHEN (NEW.parent_id IS NULL AND OLD.score <> NEW.score)
EXECUTE FUNCTION note_move();
