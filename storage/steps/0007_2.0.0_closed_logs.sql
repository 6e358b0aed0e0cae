-- Since 2.0.0 logs that take nothing are tried again every quarter of an hour.
CREATE INDEX moderation_closed ON moderation (guild_id) WHERE log_is_closed;
