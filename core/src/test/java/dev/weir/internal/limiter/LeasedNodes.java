package dev.weir.internal.limiter;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.GrantedAhead;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/** Several limiters in one thread on virtual time, with one store between them that answers after a round trip. */
final class LeasedNodes implements TimeSource {
    static final long ROUND_TRIP = 600;

    /** At the start of a minute. */
    long now = 1_800_000_000L * LocalLimiterHarness.SECOND;

    final List<Limiter> limiters = new ArrayList<>();
    final MemoryStore counters = new MemoryStore(10_000);
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long order;
    long asks;
    long decisions;
    long[] admitted = new long[0];

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
        }
    }

    LeasedNodes(WrittenRules rules, int nodes) {
        admitted = new long[nodes];
        for (int i = 0; i < nodes; i++) {
            SharedStores stores = SharedStores.of(new Store());
            LimiterSettings settings = LimiterSettings.defaults().withTierCounters(64);
            limiters.add(new Limiter(rules, new MemoryStore(100), stores, this, settings, new LimiterObserver() {}));
        }
    }

    @Override
    public long micros() {
        return now;
    }

    @Override
    public long nanos() {
        return now * 1_000;
    }

    void at(long when, Runnable action) {
        events.add(new Event(when, order++, action));
    }

    /** Poisson arrivals of {@code request} at {@code node}, so many a second, until {@code end}. */
    void traffic(int node, Request request, double perSecond, long end, Random random) {
        long gap = Math.max(1, Math.round(-Math.log(1 - random.nextDouble()) * 1e6 / perSecond));
        long when = now + gap;
        if (when < end) {
            at(when, () -> {
                send(node, request);
                traffic(node, request, perSecond, end, random);
            });
        }
    }

    void send(int node, Request request) {
        decisions++;
        MutableDecision into = new MutableDecision();
        SharedLimiterHarness.Answer later = new SharedLimiterHarness.Answer(Long.MAX_VALUE) {
            @Override
            public void decided(Request asked, MutableDecision decision) {
                admitted[node] += decision.allowed() ? 1 : 0;
            }
        };
        if (limiters.get(node).decide(request, now, into, () -> later)) {
            admitted[node] += into.allowed() ? 1 : 0;
        }
    }

    /** Lets time pass until {@code end}, with a tick of every limiter each 100 ms. */
    void run(long end) {
        for (long tick = now + 100_000; tick < end; tick += 100_000) {
            at(tick, () -> limiters.forEach(Limiter::tick));
        }
        while (!events.isEmpty() && events.peek().at < end) {
            Event next = events.poll();
            now = next.at;
            next.action.run();
        }
        now = end;
    }

    long admitted() {
        long sum = 0;
        for (long each : admitted) {
            sum += each;
        }
        return sum;
    }

    private final class Store implements SharedStore {
        @Override
        public void decide(Ask ask) {
            asks++;
            at(now + ROUND_TRIP / 2, () -> {
                boolean passed = counters.decide(ask.checks, now);
                if (passed) {
                    GrantedAhead.take(counters, ask.checks, now);
                }
                for (int i = 0; i < ask.checks.size(); i++) {
                    ask.checks.get(i).failure = null;
                }
                at(now + ROUND_TRIP / 2, ask::answered);
            });
        }

        @Override
        public void close() {}
    }
}
