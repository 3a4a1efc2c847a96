package dev.weir.server.rls;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.TakenPermits;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether {@code weir-remote} may take hits of a request before it spends them, and for how long they should last
 * there. Every rule that the request met must be {@link Consistency#LEASED}, and one hit of the request must be one hit of
 * each limit: the client takes several in one request, and spends them one by one.
 */
final class ClientLease {
    /** The largest share of a window that may sit in a client, as a divisor: as in the leases of a server. */
    private static final long OF_WINDOW = 100;

    /** A shorter lease is not worth its call. */
    private static final long SHORTEST_MICROS = 1_000;

    private ClientLease() {}

    /** The target duration of a lease for requests such as the one that got {@code decision}; 0 if there may be none. */
    static long micros(MutableDecision decision) {
        boolean plain = decision.allowed()
                && decision.size() > 0
                && decision.ban() == null
                && !concernsPermits(decision.permits())
                && !decision.repeated();
        if (!plain) {
            return 0;
        }
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Limit limit = verdict.limit();
            if (limit != null) {
                shortest = Math.min(shortest, micros(verdict, limit));
            }
        }
        return shortest == Long.MAX_VALUE || shortest < SHORTEST_MICROS ? 0 : shortest;
    }

    private static boolean concernsPermits(@Nullable TakenPermits permits) {
        return permits != null
                && (permits.taken() > 0
                        || !permits.held().isEmpty()
                        || !permits.unenforced().isEmpty());
    }

    private static long micros(MutableVerdict verdict, Limit limit) {
        Rule rule = verdict.rule();
        boolean allowed = verdict.allowed() && !verdict.degraded() && verdict.debt() == 0 && verdict.delayMicros() == 0;
        if (rule == null || !allowed || !isLeased(rule, limit)) {
            return 0;
        }
        return Math.min(rule.leaseIntervalMicros(), limit.windowMicros() / OF_WINDOW);
    }

    private static boolean isLeased(Rule rule, Limit limit) {
        return rule.consistency() == Consistency.LEASED
                && limit.algorithm() != Algorithm.LEAKY_BUCKET
                && limit.algorithm() != Algorithm.CONCURRENCY
                && rule.queue() == null
                && !rule.isCapacity()
                && !rule.quota()
                && !rule.countsDenied()
                && rule.costOf(1) == 1
                && rule.costs() == null
                && rule.unit().equals(Rule.REQUESTS);
    }
}
