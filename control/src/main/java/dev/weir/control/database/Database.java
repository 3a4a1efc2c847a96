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
 * <p><b>Timeouts.</b> A call waits two seconds for a connection and five for an answer of an unreachable PostgreSQL.
 * Opening succeeds without a reachable database; the first call fails.
 *
 * <p><b>Locks.</b> A node that stalls during a change must not block the others. PostgreSQL ends a change that is idle
 * for {@value #IDLE_SECONDS} seconds, and others wait for its locks a second longer than that.
 */
public final class Database implements AutoCloseable {
    private static final int POOL = 4;
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_SECONDS = 5;
    private static final int IDLE_SECONDS = 2;
    private static final int LOCK_MILLIS = (IDLE_SECONDS + 1) * 1_000;
    private static final int BRIEF_LOCK_MILLIS = 100;
    /** The timeout for opening an embedded database, which is slow on a busy machine. */
    private static final int OPEN_MILLIS = 30_000;

    /** H2's error codes for a database that has closed itself, for example after a failed write. */
    private static final Set<Integer> H2_CLOSED = Set.of(90098, 90121);

    private final @Nullable PostgresUrl postgres;
    private final String shown;
    private final Commit durableCommit;
    private final HikariDataSource pool;
    private boolean migrated;

    private Database(@Nullable PostgresUrl postgres, String shown, Commit durableCommit, HikariConfig config) {
        this.postgres = postgres;
        this.shown = shown;
        this.durableCommit = durableCommit;
        config.setPoolName("weir-control");
        config.setMaximumPoolSize(POOL);
        config.setMinimumIdle(1);
        config.setValidationTimeout(CONNECT_MILLIS / 2);
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(false);
        this.pool = new HikariDataSource(config);
    }

    /** Opens a PostgreSQL database, which other servers may share. */
    public static Database postgres(PostgresUrl url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.jdbc());
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setDataSourceProperties(properties(url));
        return new Database(url, url.shown(), Connection::commit, config);
    }

    /** Opens an H2 database in {@code folder}, for this process alone. */
    public static Database embedded(Path folder) throws IOException {
        HikariConfig config = new HikariConfig();
        Path file = folder.toAbsolutePath().resolve("weir");
        // H2 would create the file readable by everyone. It accepts an empty file as a new database.
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

    /** Returns whether other processes may change the same data. */
    public boolean isShared() {
        return postgres != null;
    }

    /** Returns the address for people, without secrets. */
    @Override
    public String toString() {
        return shown;
    }

    /** The work of one transaction. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T in(Connection connection) throws SQLException;
    }

    /** Commits a transaction. */
    @FunctionalInterface
    private interface Commit {
        void apply(Connection connection) throws SQLException;
    }

    /**
     * Runs {@code work} in a transaction, which commits if it returns.
     *
     * @throws DatabaseException if the database is unreachable or refuses; other exceptions of {@code work} pass
     *     through
     */
    public <T extends @Nullable Object> T transaction(Work<T> work) {
        return transaction(work, Connection::commit);
    }

    private <T extends @Nullable Object> T transaction(Work<T> work, Commit commit) {
        migrate();
        try (Connection connection = pool.getConnection()) {
            boolean done = false;
            try {
                T result = work.in(connection);
                commit.apply(connection);
                done = true;
                return result;
            } finally {
                if (!done) {
                    rollBack(connection);
                }
            }
        } catch (SQLException e) {
            if (!isShared() && H2_CLOSED.contains(e.getErrorCode())) {
                // H2 reopens when the last connection to the closed database is gone.
                pool.getHikariPoolMXBean().softEvictConnections();
            }
            throw failure(e);
        }
    }

    /**
     * Runs {@code work} that changes data.
     *
     * @throws DatabaseException also if another node {@linkplain DatabaseException#isLockTimeout holds the lock} too long
     */
    public <T extends @Nullable Object> T change(Work<T> work) {
        return locking(LOCK_MILLIS, work);
    }

    /** Runs {@code work} that can as well be done later: it hardly waits for a lock. */
    public <T extends @Nullable Object> T changeIfUnlocked(Work<T> work) {
        return locking(BRIEF_LOCK_MILLIS, work);
    }

    private <T extends @Nullable Object> T locking(int waitMillis, Work<T> work) {
        return transaction(
                connection -> {
                    if (isShared()) {
                        try (Statement statement = connection.createStatement()) {
                            // Set for the transaction, not for the session, which a pooler may share.
                            statement.execute("SET LOCAL lock_timeout = '" + waitMillis
                                    + "ms'; SET LOCAL idle_in_transaction_session_timeout = '" + IDLE_SECONDS + "s'");
                        }
                    }
                    return work.in(connection);
                },
                durableCommit);
    }

    private static void rollBack(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // The connection is broken, and the transaction with it. The first failure is the one to report.
        }
    }

    private DatabaseException failure(Exception e) {
        String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return new DatabaseException("the database (" + shown + ") failed: " + reason, e);
    }

    /**
     * Opens a connection outside the pool that receives notifications. Only for a {@linkplain #isShared shared}
     * database.
     */
    public Connection listen(String channel) throws SQLException {
        if (postgres == null) {
            throw new SQLException(shown + " has no notifications");
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

    /** Migrates the tables, once. */
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
