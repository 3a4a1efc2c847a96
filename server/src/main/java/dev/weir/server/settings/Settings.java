package dev.weir.server.settings;

import dev.weir.control.ControlSettings;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.control.source.SourceSettings;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.rules.internal.regions.RegionNames;
import dev.weir.server.rls.RlsSettings;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a server, parsed and checked.
 *
 * @param rules rule files and folders
 * @param mergeDomains whether several files may add to one domain of Envoy's format
 * @param sources the rule sources on the network, which override the files
 * @param healthyWithoutRules whether health checks pass although no rules are in force
 * @param tls the TLS files of the ports
 * @param network the bounds on connections and on the memory that peers hold
 * @param trust whom the server believes
 * @param adminToken null if none is set
 * @param maxKeys counters kept in memory
 * @param stores the shared stores by name, with the default one unless it is memory
 * @param regions the regions whose servers share limits
 * @param control the database of rules and quotas that are changed while the server runs
 * @param decisions which decisions are recorded, and where
 * @param insight what the server remembers of its traffic, and whom it tells
 * @param referenceMetrics where metrics are also served under the names of the reference service; null for nowhere
 * @param forward how gateways ask about the requests that they forward
 * @param demo whether the server drives itself with rules and callers that are made up
 * @param warmUp the maximum time for warming up the decision path before the server is ready
 * @param warnings settings that were given and have no effect
 */
public record Settings(
        List<Path> rules,
        boolean mergeDomains,
        SourceSettings sources,
        boolean healthyWithoutRules,
        ListenAddress http,
        ListenAddress grpc,
        ListenAddress admin,
        TlsPorts tls,
        Network network,
        Trust trust,
        @Nullable AdminToken adminToken,
        int eventLoops,
        long maxKeys,
        LimiterSettings limiter,
        Map<String, RedisSettings> stores,
        Regions regions,
        ControlSettings control,
        DecisionSinkSettings decisions,
        Insight insight,
        RlsSettings rls,
        @Nullable ReferenceMetrics referenceMetrics,
        Logging logging,
        Idempotency idempotency,
        Forward forward,
        boolean demo,
        Duration warmUp,
        Drain drain,
        List<String> warnings) {

    public Settings {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
        stores = Map.copyOf(stores);
    }

    /** Whether a limit per month, in rules and in requests, is one of the calendar. */
    public boolean calendarMonths() {
        return rls.calendarMonths();
    }

    /** The shared stores that rules may name; those of other regions are not among them. */
    public Set<String> namedStores() {
        return stores.keySet().stream()
                .filter(each -> !StoreEntries.isOfRegion(each))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether no rules are configured, so that the example rules apply. */
    public boolean isExample() {
        return rules.isEmpty() && sources.addresses().isEmpty() && !demo;
    }

    /**
     * How long and for how many requests per caller an idempotency key is remembered.
     *
     * @param perCaller keys; beyond that the oldest are dropped
     * @param header the only header whose keys count; null for the usual ones
     */
    public record Idempotency(
            Duration keep, int perCaller, @Nullable String header) {}

    /**
     * How gateways ask about the requests that they forward.
     *
     * @param attributes the header that each attribute is read from
     * @param locations the locations of nginx that an answer may redirect to
     */
    public record Forward(Map<String, String> attributes, Set<String> locations) {}

    /**
     * The bounds on connections and on the memory that peers hold.
     *
     * @param connections open connections on a port
     * @param connectionsPerAddress open connections of one peer address on a port
     * @param memory bytes of unfinished requests and unsent answers, over all ports; null for a part of heap and direct
     *     memory
     * @param head the time until the head of an HTTP request must be complete
     * @param grpcAge the age at which a gRPC connection is drained; zero for never
     * @param grpcAgeGrace how long a drained connection may still finish its calls
     * @param shedLoad whether HTTP and admin requests are refused while this process is overloaded
     */
    public record Network(
            int connections,
            int connectionsPerAddress,
            @Nullable Long memory,
            Duration head,
            Duration grpcAge,
            Duration grpcAgeGrace,
            boolean shedLoad) {}

    /**
     * Budgets, in bytes, for the records that the server keeps of its traffic.
     *
     * @param historyMemory for the history of rules in memory
     * @param historyDisk for the history of 14 days in the data folder
     * @param topKeysMemory for the heaviest callers of rules
     * @param otlp where metrics and traces are sent; null for nowhere
     */
    public record Insight(
            long historyMemory,
            long historyDisk,
            long topKeysMemory,
            @Nullable Otlp otlp) {}

    /**
     * The collector that metrics and traces are sent to.
     *
     * @param headers sent with each call, such as a token
     * @param interval the time between two reports of metrics
     * @param metrics whether metrics are sent
     * @param traces whether spans are sent
     */
    public record Otlp(URI url, Map<String, String> headers, Duration interval, boolean metrics, boolean traces) {
        /** Never shows the headers, which may be secrets. */
        @Override
        public String toString() {
            return url.toString();
        }
    }

    /**
     * The port on which metrics have the names of the reference service.
     *
     * @param path the path of the page
     * @param nearLimit the share of a limit above which hits count as near it
     */
    public record ReferenceMetrics(ListenAddress address, String path, double nearLimit) {}

    /**
     * Whom the server believes.
     *
     * @param fleetSecret signs what servers tell each other through Redis; null if none is set
     * @param proxies whose headers say who the caller is
     * @param banLists files with the addresses of callers that are banned
     * @param reputationLists files with the scores of addresses
     * @param crowdSec whose decisions are bans; null if none is set
     */
    public record Trust(
            @Nullable FleetSecret fleetSecret,
            TrustedProxies proxies,
            List<BanList> banLists,
            List<Path> reputationLists,
            @Nullable CrowdSec crowdSec) {}

    /** The local API of a CrowdSec, and the key of this bouncer. */
    public record CrowdSec(URI url, String key) {}

    /** A list of addresses that are banned, shadow banned or exempt. */
    public record BanList(BanKind kind, Path file) {}

    /** The format and the level of the log. */
    public record Logging(LogFormat format, Level level) {}

    /**
     * A token with all permissions on the admin port: either a secret or a file.
     *
     * @param file the file that contains it
     */
    public record AdminToken(
            @Nullable String secret, @Nullable Path file) {
        /** Never shows the secret. */
        @Override
        public String toString() {
            return file == null ? "set" : file.toString();
        }
    }

    /** The TLS files of each port; null for clear text. */
    public record TlsPorts(
            @Nullable Tls grpc,
            @Nullable Tls http,
            @Nullable Tls admin) {}

    /**
     * The TLS files of a port.
     *
     * @param clientAuthorities the CAs that must have signed a caller's certificate; null if callers need none
     * @param clientNames the names of which the certificate must have one; empty for any
     */
    public record Tls(Path certificate, Path key, @Nullable Path clientAuthorities, List<String> clientNames) {

        public Tls {
            clientNames = List.copyOf(clientNames);
        }

        /** All files. */
        public List<Path> all() {
            return clientAuthorities == null ? List.of(certificate, key) : List.of(certificate, key, clientAuthorities);
        }
    }

    /**
     * How the server shuts down.
     *
     * @param delay how long it still takes calls while it reports that it is not serving
     * @param timeout the maximum time in total, including the delay
     */
    public record Drain(Duration delay, Duration timeout) {
        /**
         * The maximum time for returning leases and writing decisions, which have bounds of their own, slightly below.
         */
        private static final Duration MAX_CLOSING = Duration.ofSeconds(4);

        private static final Duration MAX_LOG_FLUSH = Duration.ofMillis(500);

        /** The maximum time for calls in flight once no new ones are accepted. */
        public Duration calls() {
            return timeout.minus(delay).minus(closing());
        }

        /** The time reserved for what follows the calls. */
        public Duration closing() {
            return shorter(timeout.minus(delay).dividedBy(2), MAX_CLOSING);
        }

        /** The part of {@link #closing} that is reserved for writing the log. */
        public Duration logFlush() {
            return shorter(closing().dividedBy(4), MAX_LOG_FLUSH);
        }

        private static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) < 0 ? one : other;
        }
    }

    /**
     * The regions whose servers share limits.
     *
     * @param own the region of this server; null if there are no regions
     * @param names all regions
     * @param home the region whose store counts global limits; null if there is none
     * @param homeEpoch the number of that choice: a later one overrides it
     * @param homeAtOnce whether a new home counts at once, without waiting for the end of what counted at the one before
     */
    public record Regions(
            @Nullable String own,
            Set<String> names,
            @Nullable String home,
            int homeEpoch,
            boolean homeAtOnce,
            boolean shareCounts) {
        static final Regions NONE = new Regions(null, Set.of(), null, 1, false, false);

        public Regions {
            names = new TreeSet<>(names);
        }

        /** Whether this server is in the home region. */
        public boolean isHome() {
            return home != null && home.equals(own);
        }

        /** The name of the store that counts global limits; empty if there is none. */
        public String homeStore() {
            return home == null ? "" : StoreEntries.ofRegion(home);
        }

        /** The regions as rules may name them. */
        public RegionNames forRules() {
            return new RegionNames(names, own, home, homeStore(), others());
        }

        /** The stores of the other regions whose counts this server reads, by region. */
        public Map<String, String> others() {
            Map<String, String> others = new TreeMap<>();
            names.stream()
                    .filter(each -> shareCounts && !each.equals(own))
                    .forEach(each -> others.put(each, StoreEntries.ofRegion(each)));
            return others;
        }
    }
}
