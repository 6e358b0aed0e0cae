-- So that nothing which is done while members wait reads a whole table, however much there is.

CREATE INDEX links_by_key ON links (substr(sealed_token, 1, 4));
CREATE INDEX drafts_claimed ON drafts (due_at) WHERE claimed_by <> '';
CREATE INDEX pauses_by_end ON pauses (ends_at);
CREATE INDEX identifies_by_age ON identifies (identified_at);
CREATE INDEX cases_of_guild ON cases (guild_id, touched_at);
CREATE INDEX cases_with_text ON cases (touched_at) WHERE sealed_text IS NOT NULL;

-- Members who have themselves erased.
CREATE INDEX watch_notices_about_member ON watch_notices (member_id);
CREATE INDEX subscriptions_by_creator ON subscriptions (created_by);
CREATE INDEX cases_by_dismisser ON cases (dismissed_by) WHERE dismissed_by IS NOT NULL;
CREATE INDEX removals_by_moderator ON removals (moderator_id);
CREATE INDEX removals_by_ender ON removals (ended_by) WHERE ended_by IS NOT NULL;
CREATE INDEX notes_by_moderator ON case_notes (moderator_id);
CREATE INDEX cases_by_releaser ON cases (released_by) WHERE released_by IS NOT NULL;
