package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.counter.CounterNameEncoder;
import dev.weir.internal.model.Rule;

/**
 * Writes what a counter is called in stores that other processes share: the same things that its hash is made of, as
 * text that every process writes alike and that people can read.
 *
 * <pre>
 *   tb:api:writes:u_42                     a token bucket of the rule "writes" in the domain "api", for u_42
 *   sw:api:reads:!1!k_7:!a!10.0.0.1        by the first of some alternatives, and an address
 *   fw60s:edge:path=/api:user=u_42         Envoy's spelling: window, domain, keys and values
 *   fw:api:ceiling:!w3600s!                what a caller with an agreed limit of another window counts in
 * </pre>
 *
 * <p><b>Injective.</b> Fields end at a colon, which {@linkplain CounterNameEncoder escaped text} never holds, so how
 * many there are and where each begins is plain. Letters and then a digit begin a name of Envoy's spelling, letters and
 * a colon one of Weir's. What is no plain value is told by a mark between exclamation marks, which text never holds
 * either: which of the alternatives, an address, a wildcard that its values share, nothing because the value is
 * missing, or the window (and of a bucket the hits) of a limit that was agreed with callers. A name that would be too
 * long is a hash of itself.
 */
public final class CounterNameWriter {
    /** Fixed, for every process must find the same subject; it only chooses where a counter is kept. */
    private static final long SEED0 = 0x7765_6972_2073_7562L, SEED1 = 0x6a65_6374_2068_6173L;

    private final CounterNameEncoder text = new CounterNameEncoder();
    private final CounterKeyHash hash = new CounterKeyHash(SEED0, SEED1);

    /** What the names of all counters of {@code rule}, in Weir's spelling, begin with. */
    public static byte[] prefix(Rule rule, Limit limit) {
        CounterName name = new CounterName();
        CounterNameEncoder text = new CounterNameEncoder();
        text.begin(name);
        text.plain(code(limit)).plain(":").escaped(rule.domain()).plain(":").escaped(rule.id());
        return name.toBytes();
    }

    /** What the names of all counters of {@code limit} in a domain of Envoy's spelling begin with. */
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
        long window = limit.windowMicros();
        boolean seconds = window % 1_000_000 == 0;
        return text.number(seconds ? window / 1_000_000 : window).plain(seconds ? "s" : "us");
    }

    /** Goes on from the name of a rule's counter to the one beside it, of a limit agreed with callers. */
    public void agreed(CounterName name, Limit limit) {
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

    /** Writes the name of a counter of {@code rule}, in Weir's spelling. */
    public void rule(CounterName into, byte[] prefix, Rule rule, CounterKeyValues parts, int ipv6Prefix) {
        text.begin(into);
        into.append(prefix);
        for (int i = 0; i < parts.size(); i++) {
            text.plain(":");
            parts.write(i, text, ipv6Prefix);
        }
        text.end();
        if (parts.size() == 0) {
            hash.reset().add(rule.domain()).add(rule.id()).end();
        } else {
            parts.subject(hash.reset(), ipv6Prefix).end();
        }
        into.subject(hash.key0());
    }

    /** Writes the name of a counter of entries, in Envoy's spelling. */
    public void entries(CounterName into, byte[] prefix, String domain, CounterKeyValues parts) {
        text.begin(into);
        into.append(prefix);
        entries(into, domain, parts);
    }

    /** Writes the name of a counter of entries under a limit that the caller gives. */
    public void entries(CounterName into, Limit limit, String domain, CounterKeyValues parts) {
        text.begin(into);
        prefix(domain, limit, text);
        entries(into, domain, parts);
    }

    private void entries(CounterName into, String domain, CounterKeyValues parts) {
        for (int i = 0; i < parts.size(); i++) {
            text.plain(":").escaped(parts.name(i)).plain("=");
            parts.write(i, text, KeyBy.DEFAULT_IPV6_PREFIX);
        }
        text.end();
        if (parts.size() == 0) {
            hash.reset().add(domain).end();
        } else {
            parts.subject(hash.reset(), KeyBy.DEFAULT_IPV6_PREFIX).end();
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
        };
    }
}
