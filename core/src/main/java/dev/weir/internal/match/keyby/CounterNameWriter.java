package dev.weir.internal.match.keyby;

import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.counter.CounterNameEncoder;
import dev.weir.internal.model.Rule;

/**
 * Writes the names of counters in stores that other processes share. A name has the same content as the counter's hash,
 * as text that every process writes alike and that people can read.
 *
 * <pre>
 *   tb:api:writes:u_42                     a token bucket of the rule "writes" in the domain "api", for u_42
 *   sw:api:reads:!1!k_7:!a!10.0.0.1        by the first of some alternatives, and an address
 *   fw60s:edge:path=/api:user=u_42         Envoy's format: window, domain, keys and values
 *   fw:api:ceiling:!w3600s!                the counter of a caller whose override has another window
 * </pre>
 *
 * <p><b>Injective.</b> Fields end at a colon, which {@linkplain CounterNameEncoder escaped text} never contains, so the
 * number of fields and their starts are unambiguous. A name in Envoy's format begins with letters and a digit, one in
 * Weir's with letters and a colon. A value that is not plain is marked between exclamation marks, which text never
 * contains either: the alternative, an address, a wildcard that its values share, a missing value, or the window (and
 * for a bucket the hits) of an override. A name that would be too long is replaced by its hash.
 */
public final class CounterNameWriter {
    /** A fixed seed, because every process must compute the same subject; it only chooses where a counter is kept. */
    private static final long SEED0 = 0x7765_6972_2073_7562L, SEED1 = 0x6a65_6374_2068_6173L;

    private final CounterNameEncoder text = new CounterNameEncoder();
    private final CounterKeyHash hash = new CounterKeyHash(SEED0, SEED1);

    /** The prefix of the names of all counters of {@code rule}, in Weir's format. */
    public static byte[] prefix(Rule rule, Limit limit) {
        CounterName name = new CounterName();
        CounterNameEncoder text = new CounterNameEncoder();
        text.begin(name);
        text.plain(code(limit)).plain(":").escaped(rule.domain()).plain(":").escaped(rule.id());
        return name.toBytes();
    }

    /** The prefix of the names of all counters of {@code limit} in a domain of Envoy's format. */
    public static byte[] prefix(String domain, Limit limit) {
        CounterName name = new CounterName();
        CounterNameEncoder text = new CounterNameEncoder();
        text.begin(name);
        prefix(domain, limit, text);
        return name.toBytes();
    }

    private static void prefix(String domain, Limit limit, CounterNameEncoder text) {
        window(text.plain(code(limit)), limit).plain(":").escaped(domain);
    }

    private static CounterNameEncoder window(CounterNameEncoder text, Limit limit) {
        CalendarWindow calendar = limit.calendar();
        if (calendar != null) {
            return text.plain(calendar.text());
        }
        long window = limit.windowMicros();
        boolean seconds = window % 1_000_000 == 0;
        return text.number(seconds ? window / 1_000_000 : window).plain(seconds ? "s" : "us");
    }

    /** Extends the name of a rule's counter to that of the separate counter of an override. */
    public void appendOverride(CounterName name, Limit limit) {
        long subject = name.subject();
        text.resume(name);
        text.plain(":!w");
        if (OverrideCounterKey.requests(limit) > 0) {
            text.number(limit.requests()).plain("/");
        }
        window(text, limit).plain("!");
        text.end();
        name.subject(subject);
    }

    /** Writes the name of a counter of {@code rule}, in Weir's format. */
    public void rule(CounterName into, byte[] prefix, Rule rule, CounterKeyValues values, int ipv6Prefix) {
        text.begin(into);
        into.append(prefix);
        for (int i = 0; i < values.size(); i++) {
            text.plain(":");
            values.write(i, text, ipv6Prefix);
        }
        text.end();
        if (values.size() == 0) {
            hash.reset().add(rule.domain()).add(rule.id()).end();
        } else {
            values.subject(hash.reset(), ipv6Prefix).end();
        }
        into.subject(hash.key0());
    }

    /** Writes the name of a counter of entries, in Envoy's format. */
    public void entries(CounterName into, byte[] prefix, String domain, CounterKeyValues values) {
        text.begin(into);
        into.append(prefix);
        entries(into, domain, values);
    }

    /** Writes the name of a counter of entries under a limit that the request brings. */
    public void entries(CounterName into, Limit limit, String domain, CounterKeyValues values) {
        text.begin(into);
        prefix(domain, limit, text);
        entries(into, domain, values);
    }

    private void entries(CounterName into, String domain, CounterKeyValues values) {
        for (int i = 0; i < values.size(); i++) {
            text.plain(":").escaped(values.name(i)).plain("=");
            values.write(i, text, KeyBy.DEFAULT_IPV6_PREFIX);
        }
        text.end();
        if (values.size() == 0) {
            hash.reset().add(domain).end();
        } else {
            values.subject(hash.reset(), KeyBy.DEFAULT_IPV6_PREFIX).end();
        }
        into.subject(hash.key0());
    }

    private static String code(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> "tb";
            case GCRA -> "gcra";
            case LEAKY_BUCKET -> "lb";
            case FIXED_WINDOW -> "fw";
            case SLIDING_WINDOW -> limit.subWindows() == 1 ? "sw" : "swn";
            case SLIDING_WINDOW_LOG -> "log";
            case CONCURRENCY -> "permits";
        };
    }
}
