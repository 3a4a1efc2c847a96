package dev.weir;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;

/**
 * A limit with its meter and the prefix of its keys: the algorithm, because the algorithms cannot read each other's
 * state.
 */
final class MeteredLimit {
    final Meter meter;
    final long prefix0;
    final long prefix1;

    MeteredLimit(Limit limit) {
        this.meter = Meters.of(limit);
        CounterKeyHash hash =
                new CounterKeyHash().reset().add(limit.algorithm().text()).end();
        this.prefix0 = hash.key0();
        this.prefix1 = hash.key1();
    }

    Limit limit() {
        return meter.limit();
    }
}
