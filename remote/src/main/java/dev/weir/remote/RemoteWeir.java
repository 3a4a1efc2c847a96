package dev.weir.remote;

import dev.weir.OnFail;
import dev.weir.RuleSource;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.internal.model.PlainDuration;
import dev.weir.remote.internal.RemoteLimiter;
import dev.weir.remote.internal.RemoteOptions;
import dev.weir.remote.internal.ServerAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * A {@link Weir} whose rules and counters live on a Weir server, which it asks over gRPC.
 *
 * <pre>{@code
 * try (Weir weir = RemoteWeir.at("grpc://weir:8081").open()) {
 *     Decision decision = weir.decide(Request.to("api").with("user_id", "u_42"));
 * }
 * }</pre>
 *
 * <p>A decision takes the deadline at most. If the server does not answer in time, {@link #onFail} decides, and the
 * decision is {@linkplain dev.weir.Decision#degraded degraded}. While the server fails again and again it is not asked;
 * a probe in the background notices when it is back.
 *
 * <p>The protocol does not carry everything: a {@link dev.weir.Permit} cannot be renewed, a {@link dev.weir.Hold} is
 * settled by charging the difference, and rules with a queue deny at once.
 *
 * <p>Each call returns this object. It may be opened several times.
 */
public final class RemoteWeir {
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST_CONNECTIONS = 16;

    private final RemoteOptions options;

    private RemoteWeir(ServerAddress address) {
        options = new RemoteOptions(address);
    }

    /**
     * Names the servers: {@code grpc://host:port}, {@code grpc://h1:p1,h2:p2} for several, {@code grpcs} with TLS. The
     * port is 8081 unless given. If the name has several addresses, calls are spread over them.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static RemoteWeir at(String uri) {
        return new RemoteWeir(ServerAddress.of(uri));
    }

    /** Sets how long a decision may wait for the server; 20 ms by default, as its own deadline is 10 ms. */
    public RemoteWeir deadline(Duration longest) {
        options.deadline = within("deadline", longest, Duration.ofMillis(1));
        return this;
    }

    /** Sets how long {@link #open} may wait for the connection and warm it up; 2 s by default. */
    public RemoteWeir warmUp(Duration atMost) {
        options.warmUp = within("warmUp", atMost, Duration.ZERO);
        return this;
    }

    /**
     * Sets the policy while the server does not answer: {@link OnFail#ALLOW}, the default, or {@link OnFail#DENY}.
     *
     * @throws IllegalArgumentException for {@link OnFail#LOCAL}, which needs {@link #fallbackRules}
     */
    public RemoteWeir onFail(OnFail policy) {
        if (policy == OnFail.LOCAL) {
            throw new IllegalArgumentException(
                    "onFail: LOCAL (expected: ALLOW or DENY; fallbackRules(rules) decides in this process)");
        }
        options.onFail = Objects.requireNonNull(policy, "policy");
        options.fallback = null;
        return this;
    }

    /**
     * Lets {@code rules} decide while the server does not answer, with counters in the memory of this process. They are
     * not used otherwise: the server's rules are in force.
     */
    public RemoteWeir fallbackRules(RuleSource rules) {
        options.onFail = OnFail.LOCAL;
        options.fallback = Objects.requireNonNull(rules, "rules");
        return this;
    }

    /** Opens this number of connections, each with a thread; 1 by default, which batches best. */
    public RemoteWeir connections(int count) {
        if (count < 1 || count > MOST_CONNECTIONS) {
            throw new IllegalArgumentException("connections: " + count + " (expected: 1 to " + MOST_CONNECTIONS + ")");
        }
        options.connections = count;
        return this;
    }

    /**
     * Trusts the certificates in this PEM file, in place of those of the JVM.
     *
     * @throws IllegalArgumentException if the scheme is not {@code grpcs}
     */
    public RemoteWeir trust(Path certificates) {
        options.address.requireTls("trust");
        options.trust = Objects.requireNonNull(certificates, "certificates");
        return this;
    }

    /**
     * Presents the certificate in {@code chain} with its {@code key}, both PEM files.
     *
     * @throws IllegalArgumentException if the scheme is not {@code grpcs}
     */
    public RemoteWeir clientCertificate(Path chain, Path key) {
        options.address.requireTls("clientCertificate");
        options.chain = Objects.requireNonNull(chain, "chain");
        options.key = Objects.requireNonNull(key, "key");
        return this;
    }

    /** Sets the observer of every decision and every failure of the server. */
    public RemoteWeir observer(WeirObserver observer) {
        options.observer = Objects.requireNonNull(observer, "observer");
        return this;
    }

    /**
     * Connects. Opening succeeds even if the server is unreachable: it is asked as soon as it can be.
     *
     * @throws IllegalArgumentException if a certificate or a key cannot be read, or the fallback rules are wrong
     */
    public Weir open() {
        return RemoteLimiter.open(options.copy());
    }

    private static Duration within(String name, Duration given, Duration least) {
        if (given.compareTo(least) < 0 || given.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + ": " + PlainDuration.exact(given) + " (expected: "
                    + PlainDuration.exact(least) + " to " + PlainDuration.exact(LONGEST) + ")");
        }
        return given;
    }
}
