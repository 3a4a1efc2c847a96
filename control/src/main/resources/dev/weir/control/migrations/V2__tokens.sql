-- What opens the admin port. Of a secret there is only its SHA-256.
CREATE TABLE weir_tokens (
    token_id       VARCHAR(10) PRIMARY KEY,
    name           VARCHAR(64) NOT NULL UNIQUE,
    role           VARCHAR(10) NOT NULL,
    hash           VARCHAR(64) NOT NULL,
    -- After a rotation, the secret before is good for a while.
    previous_hash  VARCHAR(64),
    previous_until TIMESTAMP WITH TIME ZONE,
    created_at     TIMESTAMP WITH TIME ZONE NOT NULL,
    created_by     VARCHAR(200) NOT NULL,
    expires_at     TIMESTAMP WITH TIME ZONE,
    -- To the minute, and no change: neither numbered nor audited.
    used_at        TIMESTAMP WITH TIME ZONE,
    version        BIGINT NOT NULL,
    updated_at     TIMESTAMP WITH TIME ZONE NOT NULL,
    updated_by     VARCHAR(200) NOT NULL
);
