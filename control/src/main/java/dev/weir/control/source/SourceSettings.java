package dev.weir.control.source;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which sources there are, and how they are spoken to.
 *
 * @param addresses the lower layer first
 * @param retry the longest between two attempts to connect
 * @param patience the longest that a start waits for rules of which there is no copy
 * @param required off: a start goes ahead without them
 */
public record SourceSettings(
        List<SourceAddress> addresses,
        Login login,
        Tls tls,
        Node node,
        Duration retry,
        Duration patience,
        boolean required) {
    /** No sources. */
    public static final SourceSettings NONE = new SourceSettings(
            List.of(),
            new Login("", () -> ""),
            Tls.DEFAULT,
            Node.DEFAULT,
            Duration.ofSeconds(3),
            Duration.ofSeconds(30),
            true);

    public SourceSettings {
        addresses = List.copyOf(addresses);
    }

    /** These settings for other sources. */
    public SourceSettings with(List<SourceAddress> others) {
        return new SourceSettings(others, login, tls, node, retry, patience, required);
    }

    /** These settings with another time to wait for what there is no copy of. */
    public SourceSettings withPatience(Duration longest) {
        return new SourceSettings(addresses, login, tls, node, retry, longest, required);
    }

    /**
     * Who we are, where an address does not say.
     *
     * @param user empty: nobody asks
     * @param password asked for at every connection, so that it may change
     */
    public record Login(String user, Supplier<String> password) {}

    /**
     * Files of TLS, in PEM; read at every connection, so that they may change.
     *
     * @param authorities who signs the servers' certificates; null: those that the JVM trusts
     * @param serverName what a server's certificate must be for; null: the host that was asked
     */
    public record Tls(
            @Nullable Path authorities,
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable String serverName) {
        /** The JVM's authorities, and nothing to show. */
        public static final Tls DEFAULT = new Tls(null, null, null, null);
    }

    /**
     * Who we are to a server of xDS.
     *
     * @param headers sent with every stream
     */
    public record Node(String id, Map<String, String> metadata, Map<String, String> headers) {
        /** As the reference service does without settings. */
        public static final Node DEFAULT = new Node("default", Map.of(), Map.of());

        public Node {
            metadata = Map.copyOf(metadata);
            headers = Map.copyOf(headers);
        }

        /** Headers may hold a secret. */
        @Override
        public String toString() {
            return id;
        }
    }
}
