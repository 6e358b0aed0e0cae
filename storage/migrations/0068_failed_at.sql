-- When a catalog could not be read last, from which every process tells its next reading.
ALTER TABLE followed_catalogs ADD COLUMN failed_at BIGINT;
