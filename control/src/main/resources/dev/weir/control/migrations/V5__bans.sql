-- Of each ban, shadow ban and exemption that people made what was done last, as JSON; ends is when the row can go.
CREATE TABLE weir_bans (
    ban_id VARCHAR(600) PRIMARY KEY,
    ends   BIGINT NOT NULL,
    last   TEXT NOT NULL
);
