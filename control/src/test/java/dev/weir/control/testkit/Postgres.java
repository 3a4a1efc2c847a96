package dev.weir.control.testkit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** A real PostgreSQL, one process for all tests; each takes a database of its own. */
public final class Postgres {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private static final class Running {
        static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres server = EmbeddedPostgres.start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server)));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void close(EmbeddedPostgres server) {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Postgres() {}

    /** A server of its own on {@code data}, which stays when it is stopped; port 0 is a free one. */
    public static EmbeddedPostgres server(Path data, int port) throws IOException {
        EmbeddedPostgres.Builder builder =
                EmbeddedPostgres.builder().setDataDirectory(data).setCleanDataDirectory(false);
        return port == 0 ? builder.start() : builder.setPort(port).start();
    }

    /** The address of a new, empty database. */
    public static String database() {
        return url(Running.SERVER.getPort(), database(Running.SERVER));
    }

    /** The name of a new, empty database in {@code server}: it takes less than a server of its own. */
    public static String database(EmbeddedPostgres server) {
        String name = "weir_" + DATABASES.incrementAndGet();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return name;
    }

    public static String url(int port, String name) {
        return "postgresql://postgres:postgres@127.0.0.1:" + port + "/" + name;
    }
}
