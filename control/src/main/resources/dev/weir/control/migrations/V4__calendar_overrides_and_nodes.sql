-- An override may count in a window of the calendar (calendar_month).
ALTER TABLE weir_quota_overrides ALTER COLUMN unit SET DATA TYPE VARCHAR(20);

-- What each server last said of itself. Neither numbered nor audited; a server that is gone is deleted after a while.
CREATE TABLE weir_nodes (
    node    VARCHAR(200) PRIMARY KEY,
    seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    note    TEXT NOT NULL
);
