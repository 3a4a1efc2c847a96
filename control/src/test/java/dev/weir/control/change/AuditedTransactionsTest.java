package dev.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.audit.Author;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.database.PostgresUrl;
import dev.weir.control.testkit.Postgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes whose node fails halfway. */
class AuditedTransactionsTest {
    private static final Author ADA = new Author("ada", "", "");

    @Test
    void aNodeThatStopsInTheMiddleOfAChangeHoldsUpTheOthersForSecondsOnly(@TempDir Path a, @TempDir Path b)
            throws Exception {
        PostgresUrl url = PostgresUrl.parse(Postgres.database());
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (Database one = Database.postgres(url);
                Database other = Database.postgres(url);
                AuditFile oneFile = AuditFile.open(a);
                AuditFile otherFile = AuditFile.open(b)) {
            AuditedTransactions stopping = new AuditedTransactions(one, oneFile);
            AuditedTransactions going = new AuditedTransactions(other, otherFile);
            going.change(ADA, "rule", "first", new Precondition.None(), false, new Made());
            CompletableFuture<Change> stopped = CompletableFuture.supplyAsync(() ->
                    stopping.change(ADA, "rule", "stopped", new Precondition.None(), false, new Made() {
                        @Override
                        public String apply(Connection connection, StoredVersion stored) {
                            inside.countDown();
                            await(goesOn);
                            return super.apply(connection, stored);
                        }
                    }));
            try {
                await(inside);
                assertThat(going.change(ADA, "rule", "second", new Precondition.None(), false, new Made())
                                .version())
                        .isEqualTo(2);
            } finally {
                goesOn.countDown();
            }
            assertThatThrownBy(stopped::join).hasCauseInstanceOf(DatabaseException.class);
            assertThat(stopping.change(ADA, "rule", "third", new Precondition.None(), false, new Made())
                            .version())
                    .isEqualTo(3);
        }
        AuditVerification whole = AuditVerification.ofFile(a.resolve(AuditFile.NAME));
        assertThat(whole.problems()).isEmpty();
        assertThat(whole.changes()).isEqualTo(3);
    }

    @Test
    void aChangeWhoseAuditCannotBeWrittenDoesNotHappen(@TempDir Path folder) throws IOException {
        AuditFile file = AuditFile.open(folder);
        try (Database database = Database.embedded(folder)) {
            AuditedTransactions transactions = new AuditedTransactions(database, file);
            transactions.change(ADA, "rule", "before", new Precondition.None(), false, new Made());
            file.close();
            assertThatThrownBy(() -> transactions.change(ADA, "rule", "r", new Precondition.None(), false, new Made()))
                    .isInstanceOf(DatabaseException.class)
                    .hasMessageContaining("the audit file cannot be written");
            assertThat(database.<Long>transaction(AuditedTransactions::version)).isEqualTo(1);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates a record. */
    private static class Made implements Edit {
        @Override
        public @Nullable Existing existing(Connection connection) throws SQLException {
            return null;
        }

        @Override
        public String apply(Connection connection, StoredVersion stored) {
            return "{}";
        }
    }
}
