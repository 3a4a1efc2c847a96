package dev.weir.remote.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.Verdict.Reason;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.remote.internal.ResponseMessage.ServerAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that take hits ahead never admit more than a fixed window has, whatever the network and their machines do, on
 * virtual time.
 */
class RequestLeasesTest {
    private static final long LIMIT = 3_000;
    private static final long MILLI = 1_000_000;
    private static final int WINDOWS = 6;
    private static final long WINDOW = 10_000 * MILLI;
    private static final long DEADLINE = 20 * MILLI;
    private static final long LATE = 1_000 * MILLI;
    private static final long INTERVAL_MICROS = 100_000;
    private static final Limit EVERY_TEN_SECONDS = Limit.fixedWindow(LIMIT, Duration.ofSeconds(10));
    private static final Rule RULE =
            Rule.builder("api", "each").limit(EVERY_TEN_SECONDS).build();

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private Random random = new Random(0);
    private long now;
    private long numbers;
    /** The server's count in the window that began last. */
    private long used;

    private long window;
    private boolean faulty = true;
    private boolean leased = true;

    private record Event(long at, long number, Runnable action) {}

    private void at(long when, Runnable action) {
        events.add(new Event(when, numbers++, action));
    }

    private void advance(long to) {
        while (!events.isEmpty() && events.peek().at() <= to) {
            Event next = events.remove();
            now = next.at();
            next.action().run();
        }
        now = to;
    }

    private MutableDecision serve(long hits) {
        if (now / WINDOW != window) {
            window = now / WINDOW;
            used = 0;
        }
        boolean fits = used + hits <= LIMIT;
        used = Math.max(0, fits ? used + hits : used);
        long reset = (WINDOW - now % WINDOW) / 1_000;
        MutableDecision decision = new MutableDecision();
        decision.begin(now / 1_000);
        decision.add()
                .set(
                        RULE,
                        EVERY_TEN_SECONDS,
                        0,
                        hits,
                        fits ? Reason.WITHIN_LIMIT : Reason.OVER_LIMIT,
                        LIMIT - used,
                        reset,
                        fits ? 0 : reset,
                        0);
        decision.end(fits);
        return decision;
    }

    private long lease(MutableDecision answer) {
        return leased && answer.allowed() ? INTERVAL_MICROS : 0;
    }

    /** A process, whose monotonic clock stops while its machine is suspended. */
    private final class Client implements RequestLease.Grantor, TimeSource {
        final Request request = Request.to("api").with("user", "one");
        final byte[] message = RequestMessage.of(request, List.of());
        final RequestLeases leases = new RequestLeases(this, this);
        long suspended;
        boolean asleep;
        long admitted;
        long paidAhead;

        @Override
        public long micros() {
            return now / 1_000;
        }

        @Override
        public long nanos() {
            return now - suspended;
        }

        @Override
        public boolean serves() {
            return true;
        }

        @Override
        public CompletableFuture<ServerAnswer> askAhead(Request ahead, Consumer<MutableDecision> late) {
            CompletableFuture<ServerAnswer> answer = new CompletableFuture<>();
            long deadline = nanos() + DEADLINE;
            at(now + delay(), () -> {
                if (faulty && random.nextInt(20) == 0) {
                    return; // the request is lost
                }
                MutableDecision decision = serve(ahead.hitsOf(0));
                if (faulty && random.nextInt(20) == 0) {
                    return; // the answer is
                }
                at(
                        now + delay(),
                        () -> awake(() -> {
                            if (answer.isDone()) {
                                if (nanos() < deadline + LATE) {
                                    late.accept(decision);
                                }
                            } else {
                                answer.complete(new ServerAnswer(decision, lease(decision)));
                            }
                        }));
            });
            at(now + DEADLINE, () -> awake(() -> answer.completeExceptionally(new IllegalStateException("late"))));
            return answer;
        }

        @Override
        public void giveBack(Request back) {
            at(now + Math.min(delay(), LATE), () -> serve(back.hitsOf(0)));
        }

        private long delay() {
            return faulty && random.nextInt(10) == 0 ? random.nextInt(1_500) * MILLI : random.nextInt(4 * (int) MILLI);
        }

        private void awake(Runnable action) {
            if (asleep) {
                at(now + 50 * MILLI, () -> awake(action));
            } else {
                action.run();
            }
        }

        void suspend(long nanos) {
            asleep = true;
            suspended += nanos;
            at(now + nanos, () -> asleep = false);
        }

        void decide() {
            LeasedHits paid = leases.spend(message, nanos());
            if (paid == null) {
                MutableDecision answer = serve(1);
                admitted += answer.allowed() ? 1 : 0;
                leases.heard(request, message, answer, lease(answer));
            } else {
                admitted++;
                paidAhead++;
                assertThat(paid.decision(nanos()).allowed()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aWindowNeverAdmitsMoreThanItsLimit(long seed) {
        for (int history = 0; history < 8; history++) {
            random = new Random(1_000 * seed + history);
            events.clear();
            now = 0;
            window = 0;
            used = 0;
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(new Client());
            }
            long paidAhead = 0;
            int fullWindows = 0;
            for (int each = 0; each < WINDOWS; each++) {
                // A window that is not used up ends with hits in leases; the next one is used up.
                long perSecond = each % 2 == 0 ? 150L + random.nextInt(80) : 600L + random.nextInt(600);
                faulty = each % 2 == 0; // lost hits would hide those that are spent twice
                long before = admitted(clients);
                play(clients, (each + 1) * WINDOW, perSecond);
                long admitted = admitted(clients) - before;
                assertThat(admitted).as("seed %d, history %d", seed, history).isLessThanOrEqualTo(LIMIT);
                fullWindows += admitted > LIMIT * 9 / 10 ? 1 : 0;
            }
            for (Client each : clients) {
                paidAhead += each.paidAhead;
            }
            assertThat(fullWindows).as("windows that were used up").isPositive();
            assertThat(paidAhead).isGreaterThan(admitted(clients) / 6);
        }
    }

    private static long admitted(List<Client> clients) {
        return clients.stream().mapToLong(each -> each.admitted).sum();
    }

    /** Lets {@code clients} ask until {@code end}, and suspends their machines now and then. */
    private void play(List<Client> clients, long end, long perSecond) {
        while (now < end - 1) {
            advance(Math.min(end - 1, now + 1 + (long) (random.nextDouble() * 2_000 * MILLI / perSecond)));
            Client caller = clients.get(random.nextInt(clients.size()));
            if (!caller.asleep) {
                caller.decide();
                boolean late = end - now < 3_000 * MILLI;
                if (random.nextInt(late ? 300 : 5_000) == 0) {
                    caller.suspend((100 + random.nextInt(4_000)) * MILLI);
                }
                if (random.nextInt(10) == 0) {
                    caller.leases.sweep();
                }
            }
        }
        advance(end);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void allHitsComeBackWhenNobodyAsks(int way) {
        Client client = new Client();
        for (int i = 0; i < 200; i++) {
            advance(now + 5 * MILLI);
            client.decide();
        }
        advance(now + 100 * MILLI);
        assertThat(client.admitted).isEqualTo(200);
        assertThat(client.paidAhead).isGreaterThan(100);
        if (way == 0) {
            advance(now + TimeUnit.SECONDS.toNanos(1));
            client.leases.sweep();
        } else {
            client.leases.close();
        }
        advance(now + TimeUnit.SECONDS.toNanos(2));
        assertThat(used).isGreaterThanOrEqualTo(200); // lost answers are counted as spent
        assertThat(LIMIT - used).isGreaterThan(LIMIT / 2 - 100);
    }

    @Test
    void aRuleThatIsLeasedNoMoreIsAskedEachTime() {
        Client client = new Client();
        faulty = false;
        for (int i = 0; i < 200; i++) {
            advance(now + 5 * MILLI);
            client.decide();
        }
        assertThat(client.paidAhead).isGreaterThan(100);
        leased = false;
        for (int i = 0; i < 200; i++) {
            advance(now + 5 * MILLI);
            client.decide();
        }
        long paid = client.paidAhead;
        for (int i = 0; i < 400; i++) {
            advance(now + 5 * MILLI);
            client.decide();
        }
        assertThat(client.paidAhead).as("a second after the change").isEqualTo(paid);
        assertThat(used).isEqualTo(800);
    }
}
