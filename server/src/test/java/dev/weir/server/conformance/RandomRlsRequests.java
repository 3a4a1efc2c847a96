package dev.weir.server.conformance;

import java.util.Random;
import java.util.stream.Stream;

/** Requests for rules of {@link RandomRules}, with everything that a request may say, and some that nobody should send. */
final class RandomRlsRequests {
    private static final ProtocolUnit[] UNITS = {
        ProtocolUnit.MINUTE, ProtocolUnit.HOUR, ProtocolUnit.DAY, ProtocolUnit.MONTH, ProtocolUnit.YEAR
    };
    private static final long[] HITS = {0, 0, 0, 1, 1, 2, 3, 5, 4_294_967_295L};
    private static final long[] LIMITS = {0, 1, 2, 5, 9, 4_294_967_295L};

    private final Random random;
    /** The units that a limit of a request may have. */
    private final ProtocolUnit[] units;

    /**
     * In the reference the limits of one descriptor share a counter while their windows begin at the same moment, as those
     * of day and week do on a Thursday. Requests have no limits with such units.
     */
    RandomRlsRequests(Random random, long seconds) {
        this.random = random;
        units = Stream.of(UNITS)
                .filter(unit -> Stream.of(ProtocolUnit.values())
                        .noneMatch(other -> other != unit
                                && other.seconds > 1
                                && other.windowStart(seconds) == unit.windowStart(seconds)))
                .toArray(ProtocolUnit[]::new);
    }

    RlsRequest next() {
        RlsRequest ask = RlsRequest.askNothing();
        for (int i = 0, n = oneIn(50) ? 0 : 1 + random.nextInt(4); i < n; i++) {
            if (i > 0 && oneIn(4)) {
                RlsRequest.Descriptor same = ask.descriptors().get(random.nextInt(i));
                ask.and(same.entries().stream()
                        .flatMap(e -> Stream.of(e.key(), e.value()))
                        .toArray(String[]::new));
            } else {
                ask.and(entries());
            }
            if (oneIn(4)) {
                ask.ownHits(oneIn(10) ? 1L << (33 + random.nextInt(10)) : HITS[random.nextInt(HITS.length)]);
            }
            // In the reference a value that reads as a shared wildcard does, limited by the caller, collides with it.
            if (oneIn(6)
                    && ask.descriptors().get(i).entries().stream()
                            .noneMatch(e -> e.value().contains("*"))) {
                ask.limitedTo(LIMITS[random.nextInt(LIMITS.length)], units[random.nextInt(units.length)]);
            }
        }
        if (oneIn(40)) {
            ask.in(oneIn(3) ? "" : "nowhere");
        }
        return ask.hits(HITS[random.nextInt(HITS.length)]);
    }

    private String[] entries() {
        String[] entries = new String[2 * (oneIn(30) ? 0 : 1 + random.nextInt(4) * random.nextInt(2))];
        for (int j = 0; j < entries.length; j += 2) {
            entries[j] = oneIn(30) ? "" : pick(RandomRules.KEYS);
            entries[j + 1] = pick(RandomRules.VALUES);
        }
        return entries;
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private String pick(String[] from) {
        return from[random.nextInt(from.length)];
    }
}
