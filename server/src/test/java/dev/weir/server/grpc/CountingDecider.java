package dev.weir.server.grpc;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts each descriptor's last value against one limit, so that the gRPC server can be tested without rules and stores. */
final class CountingDecider implements Decider {
    /** A user whom no limit lets pass, with the status 503. */
    static final String CAPACITY = "capacity";
    /** A user whom no limit lets pass, with the status 403. */
    static final String FORBIDDEN = "forbidden";

    final AtomicLong decided = new AtomicLong();
    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
    private final Limit limit;
    private final Rule rule;
    private final Map<String, Rule> denying;

    CountingDecider(long requests) {
        limit = Limit.fixedWindow(requests, Duration.ofMinutes(1));
        rule = Rule.builder("bench", "by-user").name("by user").limit(limit).build();
        denying = Map.of(CAPACITY, denying(Cause.CAPACITY), FORBIDDEN, denying(Cause.NOT_ALLOWED));
    }

    private Rule denying(Cause cause) {
        return Rule.builder("bench", "denies").limit(limit).denyAs(cause).build();
    }

    @Override
    public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
        decided.incrementAndGet();
        into.begin(nowMicros);
        boolean allowed = true;
        for (int i = 0; i < request.descriptors(); i++) {
            if (request.end(i) == request.start(i)) {
                continue;
            }
            String user = request.value(request.end(i) - 1);
            AtomicLong counter = counts.get(user);
            if (counter == null) {
                counter = counts.computeIfAbsent(user, none -> new AtomicLong());
            }
            long count = counter.addAndGet(request.hitsOf(i));
            boolean fits = count <= limit.requests() && !denying.containsKey(user);
            allowed &= fits;
            into.add()
                    .set(
                            denying.getOrDefault(user, rule),
                            limit,
                            i,
                            request.hitsOf(i),
                            fits ? MutableVerdict.Reason.WITHIN_LIMIT : MutableVerdict.Reason.OVER_LIMIT,
                            Math.max(0, limit.requests() - count),
                            1_500_000,
                            fits ? 0 : 1_500_000,
                            0);
        }
        into.end(allowed, into.size() == 0 ? -1 : 0);
        return true;
    }
}
