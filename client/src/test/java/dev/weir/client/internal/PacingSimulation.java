package dev.weir.client.internal;

import dev.weir.Limit;
import dev.weir.RuleSet;
import dev.weir.Weir;
import dev.weir.http.HttpCall;
import dev.weir.http.HttpLimiter;
import dev.weir.http.LimitedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Function;

/** Clients that share one limit of a real Weir, on virtual time: 16 calls in flight each, round trips of 20 to 60 ms. */
final class PacingSimulation {
    private static final int IN_FLIGHT = 16;
    private static final long SECOND = 1_000_000;
    /** Not at the start of a window. */
    private static final long START = 1_763_000_000_000_000L + 7_300_000;

    private final Random random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final HttpLimiter server;
    private final Weir weir;
    private long nowMicros = START;
    private long sequence;
    private int passed;
    private int refused;
    private int refusedLater;
    private long lastPassed;
    private final Map<Long, Integer> arrivals = new HashMap<>();

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    /**
     * The outcome of a run.
     *
     * @param busiest the most calls that arrived within one of the 20 ms that follow each other, after ten seconds
     */
    record Result(int passed, int refused, int refusedLater, double seconds, List<Integer> each, int busiest) {
        /** Jain's index of fairness: 1 if all clients got the same. */
        double fairness() {
            double sum = each.stream().mapToDouble(n -> n).sum();
            double squares = each.stream().mapToDouble(n -> (double) n * n).sum();
            return sum * sum / (each.size() * squares);
        }

        /** The share of calls refused after the first second. */
        double refusedShare() {
            return (double) refusedLater / Math.max(1, passed + refused);
        }
    }

    PacingSimulation(Limit limit, long seed) {
        random = new Random(seed);
        weir = Weir.builder(RuleSet.builder("api").rule("all", limit).build())
                .time(() -> nowMicros)
                .open();
        server = HttpLimiter.builder(weir).build();
    }

    /** Runs {@code clients} until each has made {@code calls} that passed, or for {@code seconds}. */
    Result run(int clients, int calls, double seconds, boolean paced) {
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Client client = new Client(calls, paced);
            all.add(client);
            at(START + random.nextInt(50_000), client::fill);
        }
        long end = START + (long) (seconds * SECOND);
        while (!events.isEmpty() && events.peek().at <= end) {
            Event next = events.remove();
            nowMicros = next.at;
            next.action.run();
        }
        weir.close();
        return new Result(
                passed,
                refused,
                refusedLater,
                (lastPassed - START) / (double) SECOND,
                all.stream().map(each -> each.passed).toList(),
                arrivals.values().stream().mapToInt(n -> n).max().orElse(0));
    }

    private void at(long micros, Runnable action) {
        events.add(new Event(micros, sequence++, action));
    }

    private double now() {
        return (nowMicros - START) / (double) SECOND;
    }

    /** A process with calls to make: as many as it may at a time. */
    private final class Client {
        private final int calls;
        private final boolean paced;
        private final PacedOrigin origin = new PacedOrigin(random::nextDouble);
        private int begun;
        private int passed;
        private double blockedUntil;

        Client(int calls, boolean paced) {
            this.calls = calls;
            this.paced = paced;
        }

        void fill() {
            for (int i = 0; i < IN_FLIGHT; i++) {
                next();
            }
        }

        private void next() {
            if (begun < calls) {
                begun++;
                attempt(origin.new Turn());
            }
        }

        private void attempt(PacedOrigin.Turn turn) {
            double delay = paced ? turn.delay(now()) : Math.max(0, blockedUntil - now());
            if (delay > 0) {
                at(nowMicros + Math.max(1, (long) Math.ceil(delay * SECOND)), () -> attempt(turn));
                return;
            }
            turn.sent();
            int there = 10_000 + random.nextInt(20_000);
            at(nowMicros + there, () -> {
                if (now() > 10) {
                    arrivals.merge(nowMicros / 20_000, 1, Integer::sum);
                }
                LimitedCall call = server.decide(new Call());
                call.ended(200);
                at(nowMicros + 10_000 + random.nextInt(20_000), () -> answered(call));
            });
        }

        private void answered(LimitedCall call) {
            List<String> retryAfter = call.allowed() ? List.of() : List.of(Long.toString(retryAfter(call)));
            Function<String, List<String>> headers =
                    name -> name.equalsIgnoreCase("Retry-After") ? retryAfter : values(call.headers(), name);
            List<LimitReading> readings = LimitReading.of(headers, nowMicros / SECOND);
            if (call.allowed()) {
                origin.answered(readings, now());
                passed++;
                PacingSimulation.this.passed++;
                lastPassed = nowMicros;
                next();
                return;
            }
            refused++;
            refusedLater += now() > 1 ? 1 : 0;
            long wait = RetryDelay.seconds(headers, nowMicros / SECOND, 300);
            blockedUntil = now() + Math.max(1, wait);
            origin.refused(readings, (double) wait, now());
            attempt(origin.new Turn());
        }
    }

    /** The seconds of {@code Retry-After} with the server's jitter of up to a second, but from the seed of the run. */
    private long retryAfter(LimitedCall call) {
        Duration wait =
                Objects.requireNonNull(Objects.requireNonNull(call.decision()).retryAfter());
        return (wait.toMillis() + 999) / 1_000 + random.nextInt(2);
    }

    private static List<String> values(List<String> headers, String name) {
        for (int i = 0; i < headers.size(); i += 2) {
            if (headers.get(i).equalsIgnoreCase(name)) {
                return List.of(headers.get(i + 1));
            }
        }
        return List.of();
    }

    /** A call that all rules count together. */
    private record Call() implements HttpCall {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/";
        }

        @Override
        public String peer() {
            return "10.0.0.1";
        }

        @Override
        public List<String> headers(String name) {
            return List.of();
        }
    }
}
