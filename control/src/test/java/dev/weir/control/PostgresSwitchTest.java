package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.database.PostgresUrl;
import dev.weir.control.switches.SwitchName;
import dev.weir.control.testkit.Postgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class PostgresSwitchTest extends SwitchContract {
    private final PostgresUrl url = PostgresUrl.parse(Postgres.database());

    @Override
    ControlSettings settings() {
        return new ControlSettings(null, url);
    }

    @Test
    void anUnreadableRowIsIgnoredAndCanBeSwitchedAgain() throws IOException, SQLException {
        put(ORDERS, OFF);
        put(SwitchName.EVERYTHING, SHADOW);
        try (Connection connection = DriverManager.getConnection(url.jdbc(), url.user(), url.password());
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE weir_switches SET last = '{{' WHERE switch_id = '" + ORDERS.id() + "'");
        }
        reopen();
        assertThat(plane.switches().active()).extracting(each -> each.name()).containsExactly(SwitchName.EVERYTHING);
        put(ORDERS, OFF);
        reopen();
        assertThat(plane.switches().active()).hasSize(2);
    }
}
