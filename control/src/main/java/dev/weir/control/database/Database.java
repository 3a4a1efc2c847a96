package dev.weir.control.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.control.data.PrivateFile;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
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
 * <p><b>Damage.</b> An embedded database that is damaged also opens, and each call fails with the reason and the cure.
 *
 * <p><b>Locks.</b> A node that stalls during a change must not block the others. PostgreSQL ends a change that is idle
 * for {@value #IDLE_SECONDS} seconds, and others wait for its locks a second longer than that.
 */
public final class Database implements AutoCloseable {
    /** The file of an embedded database. */
    public static final String EMBEDDED = "weir.mv.db";

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

    private static final int H2_GENERAL_ERROR = 50000;

    private final @Nullable PostgresUrl postgres;
    private final String shown;
    private final Commit durableCommit;
    /** Null if the database cannot be used. */
    private volatile @Nullable HikariDataSource pool;
    /** Why the database cannot be used, and the cure; empty if it can. */
    private volatile String unusable = "";

    private boolean migrated;

    private Database(@Nullable PostgresUrl postgres, String shown, Commit durableCommit) {
        this.postgres = postgres;
        this.shown = shown;
        this.durableCommit = durableCommit;
    }

    private Database opened(HikariConfig config) {
        config.setPoolName("weir-control");
        config.setMaximumPoolSize(POOL);
        config.setMinimumIdle(1);
        config.setValidationTimeout(CONNECT_MILLIS / 2);
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(false);
        pool = new HikariDataSource(config);
        return this;
    }

    /** Opens a PostgreSQL database, which other servers may share. */
    public static Database postgres(PostgresUrl url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.jdbc());
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setDataSourceProperties(properties(url));
        return new Database(url, url.shown(), Connection::commit).opened(config);
    }

    /**
     * Opens an H2 database in {@code folder}, for this process alone. If its file is damaged or cannot be opened, the
     * database is {@linkplain #isUsable unusable}.
     */
    public static Database embedded(Path folder) {
        Database database = new Database(null, "H2 in " + folder, new EmbeddedCommit(folder)::commit);
        HikariConfig config = new HikariConfig();
        Path file = folder.toAbsolutePath().resolve(EMBEDDED);
        try {
            // H2 would create the file readable by everyone. It accepts an empty file as a new database.
            PrivateFile.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
        } catch (IOException e) {
            database.giveUp(folder, EMBEDDED + " cannot be opened: " + FileErrors.why(e));
            return database;
        }
        config.setJdbcUrl("jdbc:h2:file:" + file.resolveSibling("weir") + ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0");
        config.setConnectionTimeout(OPEN_MILLIS);
        config.setUsername("weir");
        config.setPassword("");
        // The pool would try again until its timeout, and nothing would say why.
        try (Connection first = DriverManager.getConnection(config.getJdbcUrl(), "weir", "")) {
            first.setAutoCommit(false); // as the pool does
            database.opened(config).migrate();
        } catch (SQLException | DatabaseException e) {
            database.giveUp(folder, EMBEDDED + " is damaged: " + firstLine(e));
        }
        return database;
    }

    /** Returns whether the file of the embedded database in {@code folder} is missing or has no bytes. */
    public static boolean isEmpty(Path folder) {
        return folder.resolve(EMBEDDED).toFile().length() == 0;
    }

    /** Creates an embedded database that is {@linkplain #isUsable unusable} because it has lost its contents. */
    public static Database lost(Path folder) {
        Database database = new Database(null, "H2 in " + folder, Connection::commit);
        database.giveUp(folder, EMBEDDED + " is empty or missing, but the folder has the traces of earlier changes");
        return database;
    }

    /**
     * Closes an embedded database for good: each call fails from now on. An operator has to decide which data to use.
     */
    public void giveUp(Path folder, String why) {
        unusable = "the database (" + shown + ") cannot be used: " + why
                + ". To repair it, stop the server and run: weir recover --data " + folder;
        close();
    }

    /** Returns whether the database is none that an operator has to {@linkplain #giveUp recover} first. */
    public boolean isUsable() {
        return unusable.isEmpty();
    }

    /** Returns why the database cannot be used, and the cure; empty if it can. */
    public String unusable() {
        return unusable;
    }

    private HikariDataSource pool() {
        HikariDataSource open = pool;
        if (open == null || !unusable.isEmpty()) {
            throw new DatabaseException(unusable);
        }
        return open;
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
        try (Connection connection = pool().getConnection()) {
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
                pool().getHikariPoolMXBean().softEvictConnections();
            }
            throw failure(e);
        }
    }

    /** Runs {@code work} that reads several tables as of one moment. */
    public <T extends @Nullable Object> T snapshot(Work<T> work) {
        return transaction(connection -> {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return work.in(connection);
        });
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
        return new DatabaseException("the database (" + shown + ") failed: " + reason(e), e);
    }

    /** The first line of the message that names the cause: messages of the pool and H2's "General error" do not. */
    private static String reason(Exception e) {
        Throwable cause = e;
        boolean wrapped = e instanceof SQLTransientConnectionException
                || (e instanceof SQLException failure && failure.getErrorCode() == H2_GENERAL_ERROR);
        while (wrapped && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof SQLTransientConnectionException
                ? "no connection within " + CONNECT_MILLIS + " ms"
                : firstLine(cause);
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
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
        try (Connection probe = pool().getConnection()) {
            probe.rollback();
        } catch (SQLException e) {
            throw failure(e);
        }
        try {
            Flyway.configure(Database.class.getClassLoader())
                    .dataSource(pool())
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
        HikariDataSource open = pool;
        if (open != null) {
            open.close();
        }
    }
}
