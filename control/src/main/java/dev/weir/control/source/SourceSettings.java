package dev.weir.control.source;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rule sources and how to connect to them.
 *
 * @param addresses lowest layer first
 * @param retry the longest wait between two attempts to connect
 * @param patience the longest time that a start waits for rules without a copy
 * @param required whether a start fails without the rules
 */
public record SourceSettings(
        List<SourceAddress> addresses,
        Login login,
        Tls tls,
        Node node,
        Duration retry,
        Duration patience,
        boolean required) {
    /** Settings without sources. */
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

    /** Returns these settings with other sources. */
    public SourceSettings with(List<SourceAddress> others) {
        return new SourceSettings(others, login, tls, node, retry, patience, required);
    }

    /** Returns these settings with another wait for rules without a copy. */
    public SourceSettings withPatience(Duration longest) {
        return new SourceSettings(addresses, login, tls, node, retry, longest, required);
    }

    /**
     * The username and password, if an address has none.
     *
     * @param user empty: no authentication
     * @param password read for every connection, so that it may change
     */
    public record Login(String user, Supplier<String> password) {}

    /**
     * TLS files in PEM format; read for every connection, so that they may change.
     *
     * @param authorities the CA bundle for the servers' certificates; null: the JVM's
     * @param serverName the name that a server's certificate must have; null: the host in the address
     */
    public record Tls(
            @Nullable Path authorities,
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable String serverName) {
        /** The JVM's certificate authorities and no client certificate. */
        public static final Tls DEFAULT = new Tls(null, null, null, null);
    }

    /**
     * The identity of this node for an xDS server.
     *
     * @param headers sent with every stream
     */
    public record Node(String id, Map<String, String> metadata, Map<String, String> headers) {
        /** The defaults of envoyproxy/ratelimit. */
        public static final Node DEFAULT = new Node("default", Map.of(), Map.of());

        public Node {
            metadata = Map.copyOf(metadata);
            headers = Map.copyOf(headers);
        }

        /** Returns the id alone, because headers may hold a secret. */
        @Override
        public String toString() {
            return id;
        }
    }
}
