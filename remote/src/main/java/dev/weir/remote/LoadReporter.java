package dev.weir.remote;

import dev.weir.remote.internal.LoadSender;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells a Weir server every three seconds how loaded this instance of a service is, so that rules with {@code follows}
 * lower their limits while it is busy.
 *
 * <pre>{@code
 * LoadReporter reporter = LoadReporter.to("http://weir:8080", "payments")
 *         .start(() -> (double) pool.getActiveCount() / pool.getMaximumPoolSize());
 * }</pre>
 *
 * <p>A report that fails is not repeated: the next one is newer. The server forgets a report after ten seconds, so a
 * process that ends, or cannot reach the server, lowers no limit for longer.
 */
public final class LoadReporter implements AutoCloseable {
    private final LoadSender sender;

    private LoadReporter(LoadSender sender) {
        this.sender = sender;
    }

    /**
     * Names the server and the service. Servers that share a Redis tell each other.
     *
     * @param server the HTTP port, {@code http://host:8080} or {@code https://…}
     * @param service as rules name it in {@code follows}
     * @throws IllegalArgumentException if {@code server} is no such address, or {@code service} is empty
     */
    public static Builder to(String server, String service) {
        return new Builder(server, service);
    }

    /** Ends the reports. */
    @Override
    public void close() {
        sender.close();
    }

    /** The options of a {@link LoadReporter}. Each call returns this object. */
    public static final class Builder {
        private static final Duration LONGEST_CONNECT = Duration.ofSeconds(2);

        private final URI target;
        private String name = UUID.randomUUID().toString();
        private Supplier<@Nullable String> token = () -> null;
        private @Nullable HttpClient client;

        private Builder(String server, String service) {
            this.target = LoadSender.target(server, service);
        }

        /** Sets the name that tells the instances of a service apart; a random one by default. */
        public Builder reporter(String instance) {
            if (instance.isBlank()) {
                throw new IllegalArgumentException("reporter: \"\" (expected: a name)");
            }
            this.name = instance;
            return this;
        }

        /** Sets where the token for reports comes from, which servers with tokens require; asked for each report. */
        public Builder token(Supplier<@Nullable String> source) {
            this.token = Objects.requireNonNull(source, "source");
            return this;
        }

        /** Sets the client that sends the reports, for TLS or a proxy. */
        public Builder client(HttpClient http) {
            this.client = Objects.requireNonNull(http, "http");
            return this;
        }

        /**
         * Starts to report, on a thread of its own.
         *
         * @param utilisation from 0 (idle) to 1 (nothing more can be done), over the last seconds; greater values count
         *     as 1. Nothing is reported while it throws or returns NaN
         */
        public LoadReporter start(DoubleSupplier utilisation) {
            HttpClient http = client == null
                    ? HttpClient.newBuilder().connectTimeout(LONGEST_CONNECT).build()
                    : client;
            LoadSender sender =
                    new LoadSender(target, name, token, http, Objects.requireNonNull(utilisation, "utilisation"));
            sender.start();
            return new LoadReporter(sender);
        }
    }
}
