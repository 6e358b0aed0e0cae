-- Since 2.1.0 members see what is new since they looked.

-- What a member had seen of a thread when they began to look at it this time, and since when; NULL
-- where they never looked before.
ALTER TABLE threads_read ADD COLUMN before_id BIGINT;
ALTER TABLE threads_read ADD COLUMN before_at BIGINT;
-- When a look found something else than the one before.
ALTER TABLE followed ADD COLUMN changed_at BIGINT;
