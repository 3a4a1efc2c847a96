package dev.weir.control.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.control.data.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * Connections and transactions.
 *
 * <p><b>Waiting.</b> Nothing here waits long for a PostgreSQL that is away: two seconds for a connection, five for an answer. It
 * opens also where there is no database yet; whoever uses it hears of that.
 *
 * <p><b>Locks.</b> A node that stops in the middle of a change must not hold up the others. PostgreSQL ends a change that says nothing
 * for {@value #SILENT_SECONDS} seconds, and whoever waits for its locks waits a second longer than that.
 */
public final class Database implements AutoCloseable {
    private static final int POOL = 4;
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_SECONDS = 5;
    private static final int SILENT_SECONDS = 2;
    private static final int LOCK_MILLIS = (SILENT_SECONDS + 1) * 1_000;
    private static final int BRIEF_LOCK_MILLIS = 100;
    /** A file on a busy machine is slow to open, but it is there or not. */
    private static final int OPEN_MILLIS = 30_000;

    /** What H2 says of a database that has closed itself, as after a write that failed. */
    private static final Set<Integer> H2_IS_CLOSED = Set.of(90098, 90121);

    private final @Nullable PostgresUrl postgres;
    private final String shown;
    private final Ending changed;
    private final HikariDataSource pool;
    private boolean migrated;

    private Database(@Nullable PostgresUrl postgres, String shown, Ending changed, HikariConfig config) {
        this.postgres = postgres;
        this.shown = shown;
        this.changed = changed;
        config.setPoolName("weir-control");
        config.setMaximumPoolSize(POOL);
        config.setMinimumIdle(1);
        config.setValidationTimeout(CONNECT_MILLIS / 2);
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(false);
        this.pool = new HikariDataSource(config);
    }

    /** A PostgreSQL that other servers may share. */
    public static Database postgres(PostgresUrl url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.jdbc());
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setDataSourceProperties(properties(url));
        return new Database(url, url.shown(), Connection::commit, config);
    }

    /** H2 in {@code folder}, for this process alone. */
    public static Database embedded(Path folder) throws IOException {
        HikariConfig config = new HikariConfig();
        Path file = folder.toAbsolutePath().resolve("weir");
        // H2 would make it for everyone to read; it takes an empty file for a new database.
        PrivateFile.open(file.resolveSibling("weir.mv.db"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                .close();
        config.setJdbcUrl("jdbc:h2:file:" + file + ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0");
        config.setConnectionTimeout(OPEN_MILLIS);
        config.setUsername("weir");
        config.setPassword("");
        return new Database(null, "H2 in " + folder, new EmbeddedCommit(folder)::commit, config);
    }

    private static Properties properties(PostgresUrl url) {
        Properties properties = new Properties();
        if (url.user() != null) {
            properties.setProperty("user", url.user());
        }
        if (url.password() != null) {
            properties.setProperty("password", url.password());
        }
        properties.setProperty("ApplicationName", "weir");
        properties.setProperty("connectTimeout", String.valueOf(CONNECT_MILLIS / 1_000));
        properties.setProperty("loginTimeout", String.valueOf(CONNECT_MILLIS / 1_000));
        properties.setProperty("socketTimeout", String.valueOf(ANSWER_SECONDS));
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }

    /** Whether other processes may be changing the same data. */
    public boolean isShared() {
        return postgres != null;
    }

    /** Which one it is, for people; without secrets. */
    @Override
    public String toString() {
        return shown;
    }

    /** Work in one transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T in(Connection connection) throws SQLException;
    }

    /** How a transaction comes to hold. */
    @FunctionalInterface
    private interface Ending {
        void of(Connection connection) throws SQLException;
    }

    /**
     * Does {@code work} in a transaction, which holds if it returns.
     *
     * @throws DatabaseException if the database is away or refuses; what else {@code work} throws passes through
     */
    public <T extends @Nullable Object> T transaction(Work<T> work) {
        return transaction(work, Connection::commit);
    }

    private <T extends @Nullable Object> T transaction(Work<T> work, Ending ending) {
        migrate();
        try (Connection connection = pool.getConnection()) {
            boolean done = false;
            try {
                T result = work.in(connection);
                ending.of(connection);
                done = true;
                return result;
            } finally {
                if (!done) {
                    rollBack(connection);
                }
            }
        } catch (SQLException e) {
            if (!isShared() && H2_IS_CLOSED.contains(e.getErrorCode())) {
                // It opens anew when the last connection to what was closed is given up.
                pool.getHikariPoolMXBean().softEvictConnections();
            }
            throw failure(e);
        }
    }

    /**
     * The same for {@code work} that changes something.
     *
     * @throws DatabaseException also if what it would change is {@linkplain DatabaseException#isHeldUp held up}
     */
    public <T extends @Nullable Object> T change(Work<T> work) {
        return locking(LOCK_MILLIS, work);
    }

    /** The same for {@code work} that can as well be done later: it waits for nobody. */
    public <T extends @Nullable Object> T changeInPassing(Work<T> work) {
        return locking(BRIEF_LOCK_MILLIS, work);
    }

    private <T extends @Nullable Object> T locking(int waitMillis, Work<T> work) {
        return transaction(
                connection -> {
                    if (isShared()) {
                        try (Statement statement = connection.createStatement()) {
                            // For the transaction, not for the session, which a pooler may share out.
                            statement.execute("SET LOCAL lock_timeout = '" + waitMillis
                                    + "ms'; SET LOCAL idle_in_transaction_session_timeout = '" + SILENT_SECONDS + "s'");
                        }
                    }
                    return work.in(connection);
                },
                changed);
    }

    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // The connection is broken, and with it the transaction: the first failure is the one to tell.
        }
    }

    private DatabaseException failure(Exception e) {
        String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return new DatabaseException("the database (" + shown + ") does not answer as it should: " + reason, e);
    }

    /** A connection apart from the pool that hears of changes; only where the database {@linkplain #isShared is shared}. */
    public Connection listen(String channel) throws SQLException {
        if (postgres == null) {
            throw new SQLException(shown + " notifies nobody");
        }
        Connection connection = DriverManager.getConnection(postgres.jdbc(), properties(postgres));
        try (var statement = connection.createStatement()) {
            statement.execute("LISTEN " + channel);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Brings the tables up to date, once. */
    private synchronized void migrate() {
        if (migrated) {
            return;
        }
        try (Connection probe = pool.getConnection()) {
            probe.rollback();
        } catch (SQLException e) {
            throw failure(e);
        }
        try {
            Flyway.configure(Database.class.getClassLoader())
                    .dataSource(pool)
                    .locations("classpath:dev/weir/control/migrations")
                    .table("weir_schema")
                    .baselineOnMigrate(true)
                    .baselineVersion("0")
                    .load()
                    .migrate();
            migrated = true;
        } catch (FlywayException e) {
            throw failure(e);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
