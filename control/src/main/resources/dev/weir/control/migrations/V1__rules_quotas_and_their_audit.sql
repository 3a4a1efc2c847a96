-- SQL that PostgreSQL and H2 both understand.

-- Every change takes the next number, in a lock on this row: the whole fleet changes one thing at a time.
CREATE TABLE weir_version (
    only_row INTEGER PRIMARY KEY,
    version  BIGINT NOT NULL
);
INSERT INTO weir_version (only_row, version) VALUES (1, 0);

-- One line for each change, and so also the list of what changed since a version.
CREATE TABLE weir_audit (
    version BIGINT PRIMARY KEY,
    kind    VARCHAR(20) NOT NULL,
    subject VARCHAR(256) NOT NULL,
    line    TEXT NOT NULL,
    hash    VARCHAR(64) NOT NULL
);

CREATE TABLE weir_rules (
    rule_id    VARCHAR(200) PRIMARY KEY,
    domain     VARCHAR(300) NOT NULL,
    body       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    updated_by VARCHAR(200) NOT NULL
);

CREATE TABLE weir_quotas (
    api_key      VARCHAR(256) PRIMARY KEY,
    tier         VARCHAR(64),
    effective_at TIMESTAMP WITH TIME ZONE,
    expires_at   TIMESTAMP WITH TIME ZONE,
    version      BIGINT NOT NULL,
    updated_at   TIMESTAMP WITH TIME ZONE NOT NULL,
    updated_by   VARCHAR(200) NOT NULL
);
CREATE INDEX weir_quotas_by_tier ON weir_quotas (tier);

CREATE TABLE weir_quota_overrides (
    api_key           VARCHAR(256) NOT NULL REFERENCES weir_quotas (api_key) ON DELETE CASCADE,
    descriptor        VARCHAR(256) NOT NULL,
    requests_per_unit BIGINT NOT NULL,
    unit              VARCHAR(10) NOT NULL,
    burst             BIGINT,
    effective_at      TIMESTAMP WITH TIME ZONE,
    expires_at        TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (api_key, descriptor)
);
