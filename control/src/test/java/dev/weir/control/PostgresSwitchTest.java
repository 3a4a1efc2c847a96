package dev.weir.control;

import dev.weir.control.database.PostgresUrl;
import dev.weir.control.testkit.Postgres;

class PostgresSwitchTest extends SwitchContract {
    private final PostgresUrl url = PostgresUrl.parse(Postgres.database());

    @Override
    ControlSettings settings() {
        return new ControlSettings(null, url);
    }
}
