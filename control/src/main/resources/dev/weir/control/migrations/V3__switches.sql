-- Of each switch what was done last, as JSON, and when: of two that know of it differently the later one is right.
CREATE TABLE weir_switches (
    switch_id VARCHAR(600) PRIMARY KEY,
    stamp     BIGINT NOT NULL,
    last      TEXT NOT NULL
);

-- A switch is known by domain and rule.
ALTER TABLE weir_audit ALTER COLUMN subject SET DATA TYPE VARCHAR(600);
