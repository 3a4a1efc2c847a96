package dev.weir.server.settings;

import dev.weir.control.ControlSettings;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.control.source.SourceSettings;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.redis.RedisSettings;
import dev.weir.server.rls.RlsSettings;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was set, read and checked.
 *
 * @param rules files and folders
 * @param mergeDomains several files may add to one domain of Envoy's spelling
 * @param sources of rules over a network, which lie over the files
 * @param tls the ports that speak it
 * @param network what peers may take of this process
 * @param adminToken null where none is set
 * @param maxKeys counters kept in memory
 * @param stores the shared ones by the names that rules know them by; the default is among them unless it is memory
 * @param control where rules and quotas are kept that are changed while it runs
 * @param decisions which decisions are written down, and where
 * @param warmUp the longest that the decision path is warmed before the server is ready
 * @param warnings what somebody set and probably expects something of, in vain
 */
public record Settings(
        List<Path> rules,
        boolean mergeDomains,
        SourceSettings sources,
        ListenAddress http,
        ListenAddress grpc,
        ListenAddress admin,
        TlsPorts tls,
        Network network,
        @Nullable AdminToken adminToken,
        int eventLoops,
        long maxKeys,
        LimiterSettings limiter,
        Map<String, RedisSettings> stores,
        ControlSettings control,
        DecisionSinkSettings decisions,
        RlsSettings rls,
        Logging logging,
        Idempotency idempotency,
        Duration warmUp,
        Drain drain,
        List<String> warnings) {

    public Settings {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
        stores = Map.copyOf(stores);
    }

    /** Whether nobody has said where rules are. */
    public boolean isExample() {
        return rules.isEmpty() && sources.addresses().isEmpty();
    }

    /**
     * What is known of requests that were admitted with an idempotency key.
     *
     * @param perCaller keys; beyond that the oldest go
     */
    public record Idempotency(Duration keep, int perCaller) {}

    /**
     * The bounds on what peers may take of this process.
     *
     * @param connections open at once on a port
     * @param connectionsPerAddress those of them that may be of one peer address
     * @param memory bytes of unfinished requests and unsent answers, over all ports; null for a part of heap and direct memory
     * @param head until the head of an HTTP request is whole
     */
    public record Network(
            int connections,
            int connectionsPerAddress,
            @Nullable Long memory,
            Duration head) {}

    /** How the server speaks. */
    public record Logging(LogFormat format, Level level) {}

    /**
     * A token for everything on the admin port; one of the two is there.
     *
     * @param file that holds it
     */
    public record AdminToken(
            @Nullable String secret, @Nullable Path file) {
        /** Never the secret. */
        @Override
        public String toString() {
            return file == null ? "set" : file.toString();
        }
    }

    /** What each port speaks; null for clear text. */
    public record TlsPorts(
            @Nullable Tls grpc,
            @Nullable Tls http,
            @Nullable Tls admin) {}

    /**
     * The files of a port that speaks TLS.
     *
     * @param clientAuthorities who must have signed a caller's certificate, or null where callers need none
     * @param clientNames for one of which that certificate must be; empty for any
     */
    public record Tls(Path certificate, Path key, @Nullable Path clientAuthorities, List<String> clientNames) {

        public Tls {
            clientNames = List.copyOf(clientNames);
        }

        /** All of them. */
        public List<Path> all() {
            return clientAuthorities == null ? List.of(certificate, key) : List.of(certificate, key, clientAuthorities);
        }
    }

    /**
     * How the server leaves.
     *
     * @param delay how long it still takes calls while it reports that it is not serving
     * @param timeout how long it takes at most, the delay included
     */
    public record Drain(Duration delay, Duration timeout) {
        /** For leases to go back and for decisions to be written; both have bounds of their own, and little above. */
        private static final Duration LONGEST_CLOSING = Duration.ofSeconds(4);

        private static final Duration LONGEST_LAST_WORDS = Duration.ofMillis(500);

        /** How long calls under way may take once no new ones are taken. */
        public Duration calls() {
            return timeout.minus(delay).minus(closing());
        }

        /** What is kept of the time for what comes after the calls. */
        public Duration closing() {
            return shorter(timeout.minus(delay).dividedBy(2), LONGEST_CLOSING);
        }

        /** What is kept of that for the log to be written. */
        public Duration lastWords() {
            return shorter(closing().dividedBy(4), LONGEST_LAST_WORDS);
        }

        private static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) < 0 ? one : other;
        }
    }
}
