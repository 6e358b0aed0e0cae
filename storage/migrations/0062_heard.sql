-- The interactions that brought a text, so that it is kept once, however many processes hear of it.
CREATE TABLE heard (
    id BIGINT PRIMARY KEY,
    member_id BIGINT NOT NULL,
    heard_at BIGINT NOT NULL
);
CREATE INDEX heard_by_age ON heard (heard_at);
