-- Since 2.1.0 members may be told of the replies to all that they write.

-- The server where the member asked for that, 0 outside of servers; NULL where they didn't.
ALTER TABLE links ADD COLUMN replies_asked_in BIGINT;
