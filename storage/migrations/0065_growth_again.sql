-- As in 0060: what a million rows in each table showed.

CREATE INDEX drafts_of_comment ON drafts (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX pauses_by_number ON pauses (number);
CREATE INDEX moderation_of_log ON moderation (log_channel_id) WHERE log_channel_id IS NOT NULL;
CREATE INDEX moderation_of_few_days ON moderation (kept_days) WHERE kept_days < 90;
