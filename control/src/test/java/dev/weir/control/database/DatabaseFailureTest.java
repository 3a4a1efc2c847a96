package dev.weir.control.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import org.junit.jupiter.api.Test;

class DatabaseFailureTest {
    @Test
    void anUnreachableServerIsToldByItsCauseAndNotByTheStateOfThePool() {
        try (Database database = Database.postgres(PostgresUrl.parse("postgresql://weir@localhost:1/weir"))) {
            assertThatThrownBy(() -> database.transaction(Connection::isClosed))
                    .isInstanceOf(DatabaseException.class)
                    .hasMessageStartingWith("the database (postgresql://localhost:1/weir) failed: ")
                    .hasMessageNotContaining("total=")
                    .hasMessageNotContaining("weir-control");
        }
    }
}
