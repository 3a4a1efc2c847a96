package dev.weir.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.WaitResult;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queues and tarpits on virtual time. */
class RequestQueuesTest {
    private static final long SECOND = 1_000_000;

    private long now = 1_700_000_000 * SECOND;
    private long order;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final MemoryStore store = new MemoryStore(1_000);
    private final Map<WaitResult, Integer> results = new EnumMap<>(WaitResult.class);
    private final List<Limiter> limiters = new ArrayList<>();
    private Runnable beforeTasks = () -> {};
    private Runnable whenDecided = () -> {};
    private boolean roomToWait = true;
    private long longestWait;
    private int denied;
    private int allowed;

    private record Task(long at, long order, Runnable work) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
        }
    }

    private record Answer(String caller, boolean allowed, long micros, long retryAfter) {}

    private final TimeSource time = new TimeSource() {
        @Override
        public long micros() {
            return now;
        }

        @Override
        public long nanos() {
            return now * 1_000;
        }
    };

    private final LimiterObserver observer = new LimiterObserver() {
        @Override
        public void decided(Request request, MutableDecision decision) {
            whenDecided.run();
            if (decision.allowed()) {
                allowed++;
            } else {
                denied++;
            }
        }

        @Override
        public void waited(Rule rule, WaitResult result, long micros) {
            results.merge(result, 1, Integer::sum);
            longestWait = Math.max(longestWait, micros);
        }
    };

    private final List<Answer> answers = new ArrayList<>();
    private final List<Runnable> cancels = new ArrayList<>();

    private RequestQueues queues(Rule... rules) {
        List<WeirRule> list = Arrays.stream(rules)
                .map(each -> new WeirRule(
                        each, List.of(), each.id().equals("own") ? KeyBy.of("user_id") : KeyBy.global(), false))
                .toList();
        Limiter limiter = new Limiter(
                WrittenRules.builder().weir("api", list).build(), store, time, LimiterSettings.defaults(), observer);
        limiters.add(limiter);
        return new RequestQueues(limiter, time, observer, (work, micros) -> {
            Task task = new Task(now + Math.max(0, micros), order++, work);
            tasks.add(task);
            return () -> tasks.remove(task);
        });
    }

    private static RuleBuilder rule(String name, Limit limit) {
        return Rule.builder("api", name).name(name).limit(limit);
    }

    private static Limit fifty() {
        return Limit.tokenBucket(50, Duration.ofSeconds(1)).withBurst(1);
    }

    private static QueueBounds bounds(long millis, int waiting) {
        return new QueueBounds(millis * 1_000, waiting);
    }

    private void ask(RequestQueues queues, String user) {
        Consumer<MutableDecision> answered = decision -> answers.add(new Answer(
                user,
                decision.allowed(),
                now,
                decision.binding() == null ? 0 : decision.binding().retryAfterMicros()));
        MutableDecision into = new MutableDecision();
        boolean here = queues.decide(
                Request.to("api").with("user_id", user),
                now,
                into,
                () -> new Waiter() {
                    @Override
                    public Executor home() {
                        return Runnable::run;
                    }

                    @Override
                    public boolean mayWait() {
                        return roomToWait;
                    }

                    @Override
                    public void waits(Runnable cancel) {
                        cancels.add(cancel);
                    }

                    @Override
                    public void decided(Request request, MutableDecision decision) {
                        answered.accept(decision);
                    }
                },
                null);
        if (here) {
            answered.accept(into);
        }
    }

    private void runUntil(long micros) {
        while (!tasks.isEmpty() && tasks.peek().at() <= micros) {
            Task next = tasks.poll();
            now = next.at();
            beforeTasks.run();
            next.work().run();
        }
        now = micros;
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void waitersPassOneByOneAtTheRateOfTheLimit() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(3_000, 100)).build());
        long start = now;
        for (int i = 0; i < 101; i++) {
            ask(queues, "u" + i);
        }
        assertThat(answers).hasSize(1);
        assertThat(queues.waiting()).isEqualTo(100);
        runUntil(start + 4 * SECOND);
        assertThat(answers).hasSize(101).allMatch(Answer::allowed);
        for (int i = 1; i < answers.size(); i++) {
            assertThat(answers.get(i).micros() - answers.get(i - 1).micros()).isBetween(18_000L, 22_000L);
        }
        assertThat(queues.waiting()).isZero();
        assertThat(tasks).isEmpty();
        assertThat(results).containsExactly(Map.entry(WaitResult.ADMITTED, 100));
        assertThat(longestWait).isEqualTo(answers.get(100).micros() - start);
        assertThat(allowed).isEqualTo(101);
        assertThat(denied).as("a denial that was not the last word").isZero();
    }

    @Test
    void aCallerThatSendsTenTimesAsMuchGetsNoMoreThanItsShare() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(3_000, 100)).build());
        long start = now;
        ask(queues, "first");
        long end = start + 10 * SECOND;
        for (long at = start; at < end; at += 10_000) { // 1,000 a second against 33, where each may have 25
            runUntil(at);
            for (int i = 0; i < 10; i++) {
                ask(queues, "greedy");
            }
            if (at % 30_000 < 10_000) {
                ask(queues, "modest");
            }
        }
        long greedy = answers.stream()
                .filter(each -> each.allowed() && each.caller().equals("greedy"))
                .count();
        long modest = answers.stream()
                .filter(each -> each.allowed() && each.caller().equals("modest"))
                .count();
        assertThat(greedy + modest).isBetween(490L, 510L);
        assertThat(modest).isGreaterThan(greedy * 9 / 10);
    }

    @Test
    void aRequestWhoseWaiterHasNoRoomIsAnsweredAtOnce() {
        roomToWait = false;
        RequestQueues queue =
                queues(rule("all", fifty()).queue(bounds(3_000, 100)).build());
        ask(queue, "first");
        ask(queue, "second");
        RequestQueues tarpit = queues(rule("slow", Limit.fixedWindow(0, Duration.ofSeconds(1)))
                .tarpitMicros(2 * SECOND)
                .build());
        ask(tarpit, "third");
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false, false);
        assertThat(queue.waiting()).isZero();
        assertThat(tarpit.tarpitted()).isZero();
        roomToWait = true;
        ask(tarpit, "third");
        assertThat(tarpit.tarpitted()).as("its place was not kept").isEqualTo(1);
    }

    @Test
    void aShapedRequestWhoseWaiterHasNoRoomGivesBackWhatItTook() {
        RequestQueues queues = queues(rule("shaped", new Limit(Algorithm.LEAKY_BUCKET, 1, SECOND, 5, 1))
                .queue(bounds(10_000, 100))
                .build());
        ask(queues, "first");
        roomToWait = false;
        ask(queues, "second");
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false);
        roomToWait = true;
        ask(queues, "third");
        runUntil(now + SECOND);
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false, true);
    }

    @Test
    void whoWouldWaitTooLongIsDeniedAtOnce() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(100, 100)).build());
        for (int i = 0; i < 20; i++) {
            ask(queues, "u"); // several callers may share a turn, by a hash with a random seed
        }
        assertThat(queues.waiting()).isEqualTo(5);
        assertThat(answers.stream().filter(each -> !each.allowed()))
                .hasSize(14)
                .allMatch(each -> each.retryAfter() > 0);
        assertThat(denied).isEqualTo(14);
        assertThat(results).containsEntry(WaitResult.REFUSED, 14);
    }

    @Test
    void aRequestWhoseTurnComesWhenItsWaitEndsIsAdmitted() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(100, 100)).build());
        long start = now;
        for (int i = 0; i < 6; i++) {
            ask(queues, "u");
        }
        assertThat(queues.waiting()).isEqualTo(5);
        runUntil(start + 200_000);
        assertThat(answers).hasSize(6).allMatch(Answer::allowed);
        assertThat(answers.get(5).micros()).isEqualTo(start + 100_000);
        assertThat(results).containsExactly(Map.entry(WaitResult.ADMITTED, 5));
        assertThat(tasks).isEmpty();
    }

    @Test
    void nobodyWaitsForAWindowThatEndsLater() {
        RequestQueues queues = queues(rule("all", Limit.fixedWindow(1, Duration.ofHours(1)))
                .queue(bounds(30_000, 100))
                .build());
        now = now / (3_600 * SECOND) * (3_600 * SECOND);
        ask(queues, "a");
        ask(queues, "b");
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false);
        assertThat(queues.waiting()).isZero();
    }

    @Test
    void aLongRequestIsDeniedAtOnce() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(3_000, 100)).build());
        String longName = "x".repeat(WaitingText.MOST);
        ask(queues, "a");
        ask(queues, longName);
        ask(queues, "b");
        ask(queues, longName); // also while others wait
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false, false);
        assertThat(queues.waiting()).isEqualTo(1);
    }

    @Test
    void aLongRequestIsNotTarpitted() {
        RequestQueues queues = queues(rule("own", Limit.fixedWindow(0, Duration.ofHours(1)))
                .tarpitMicros(2 * SECOND)
                .build());
        ask(queues, "x".repeat(WaitingText.MOST));
        assertThat(answers).hasSize(1);
        assertThat(queues.tarpitted()).isZero();
    }

    @Test
    void noMoreWaitThanMaxWaiting() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(3_000, 3)).build());
        for (int i = 0; i < 10; i++) {
            ask(queues, "u" + i);
        }
        assertThat(queues.waiting()).isEqualTo(3);
    }

    @Test
    void theWaitEndsAfterMaxWait() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(100, 10)).build());
        ask(queues, "first");
        ask(queues, "second");
        beforeTasks = () -> limiters.get(0)
                .decide(Request.to("api").with("user_id", "other")); // somebody who does not wait is always faster
        runUntil(now + 110_000);
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false);
        assertThat(answers.get(1).retryAfter()).isPositive();
        assertThat(queues.waiting()).isZero();
        assertThat(results).containsExactly(Map.entry(WaitResult.EXPIRED, 1));
        assertThat(tasks).isEmpty();
    }

    @Test
    void cancelledWaitsFreeTheirPlace() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(30_000, 10_000)).build());
        for (int i = 0; i < 1_001; i++) {
            ask(queues, "u" + i);
        }
        assertThat(queues.waiting()).isEqualTo(1_000);
        cancels.forEach(Runnable::run);
        assertThat(queues.waiting()).isZero();
        assertThat(tasks).isEmpty();
        assertThat(answers).hasSize(1);
        assertThat(results).containsExactly(Map.entry(WaitResult.CANCELLED, 1_000));
        ask(queues, "next");
        runUntil(now + SECOND);
        assertThat(answers).hasSize(2).allMatch(Answer::allowed);
    }

    @Test
    void nobodyWaitsForARuleThatOnlyWatches() {
        RequestQueues queues = queues(
                rule("all", fifty()).queue(bounds(3_000, 100)).shadow(true).build());
        for (int i = 0; i < 10; i++) {
            ask(queues, "u");
        }
        assertThat(answers).hasSize(10).allMatch(Answer::allowed);
        assertThat(queues.waiting()).isZero();
    }

    @Test
    void onlyCallersThatTheRuleWouldDenyWait() {
        RequestQueues queues = queues(
                rule("own", fifty()).queue(bounds(3_000, 100)).rollout(5_000).build());
        for (int i = 0; i < 200; i++) {
            ask(queues, "u" + i % 100);
        }
        assertThat(queues.waiting()).isBetween(20, 80);
        assertThat(answers).hasSize(200 - queues.waiting()).allMatch(Answer::allowed);
    }

    @Test
    void tenThousandThatLeaveAtOnceLeaveNothingBehind() {
        Limit limit = Limit.tokenBucket(1_000, Duration.ofSeconds(1)).withBurst(1);
        RequestQueues queues =
                queues(rule("all", limit).queue(bounds(30_000, 10_000)).build());
        for (int i = 0; i < 10_001; i++) {
            ask(queues, "u" + i % 100);
        }
        assertThat(queues.waiting()).isEqualTo(10_000);
        cancels.forEach(Runnable::run);
        assertThat(queues.waiting()).isZero();
        assertThat(tasks).isEmpty();
        assertThat(results).containsExactly(Map.entry(WaitResult.CANCELLED, 10_000));
        ask(queues, "next");
        runUntil(now + SECOND);
        assertThat(answers).hasSize(2).allMatch(Answer::allowed);
    }

    /** It takes its hits while it is being decided, when nobody can stop that any more. */
    @Test
    void aWaitThatIsCancelledWhileItIsDecidedGivesItsHitsBack() {
        RequestQueues queues = queues(
                rule("all", fifty()).queue(bounds(30_000, 100)).build(),
                rule("own", Limit.fixedWindow(3, Duration.ofHours(1))).cost(2).build());
        ask(queues, "a");
        ask(queues, "b");
        assertThat(cancels).hasSize(1);
        whenDecided = cancels.get(0);
        runUntil(now + SECOND);
        whenDecided = () -> {};
        assertThat(results).containsExactly(Map.entry(WaitResult.CANCELLED, 1));
        ask(queues, "b");
        assertThat(answers.get(answers.size() - 1).allowed())
                .as("its own limit, of which it had used two of three")
                .isTrue();
        assertThat(queues.waiting()).isZero();
    }

    @Test
    void nothingWaitsIfAnotherRuleDenies() {
        RequestQueues queues = queues(
                rule("all", fifty()).queue(bounds(3_000, 100)).build(),
                rule("own", Limit.fixedWindow(1, Duration.ofHours(1))).build());
        ask(queues, "a");
        ask(queues, "a");
        assertThat(queues.waiting()).isZero();
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false);
    }

    @Test
    void aRequestThatItsOwnLimitHoldsBackMovesToThatQueue() {
        RequestQueues queues = queues(
                rule("all", fifty()).queue(bounds(5_000, 100)).build(),
                rule("own", Limit.tokenBucket(1, Duration.ofSeconds(1)))
                        .queue(bounds(5_000, 100))
                        .build());
        long start = now;
        ask(queues, "a");
        ask(queues, "a");
        ask(queues, "b");
        runUntil(start + 3 * SECOND);
        assertThat(answers).hasSize(3).allMatch(Answer::allowed);
        assertThat(answers.get(1).caller()).isEqualTo("b");
        assertThat(answers.get(2).micros() - start).isBetween(SECOND, SECOND + 50_000);
    }

    @Test
    void aShaperHoldsItsAnswersForTheirDelay() {
        Limit leaky = Limit.leakyBucket(50, Duration.ofSeconds(1)).withBurst(10);
        RequestQueues queues =
                queues(rule("all", leaky).queue(bounds(3_000, 100)).build());
        long start = now;
        for (int i = 0; i < 10; i++) {
            ask(queues, "u" + i);
        }
        runUntil(start + SECOND);
        assertThat(answers).hasSize(10).allMatch(Answer::allowed);
        for (int i = 1; i < answers.size(); i++) {
            assertThat(answers.get(i).micros() - answers.get(i - 1).micros()).isBetween(19_000L, 21_000L);
        }
    }

    /** Five fit into the bucket. The others wait until it has room, and are then held as long as it takes to drain. */
    @Test
    void requestsThatWaitForAFullBucketAreShapedToo() {
        Limit leaky = Limit.leakyBucket(10, Duration.ofSeconds(1)).withBurst(5);
        RequestQueues queues =
                queues(rule("all", leaky).queue(bounds(1_000, 100)).build());
        long start = now;
        for (int i = 0; i < 14; i++) {
            ask(queues, "u" + i);
        }
        assertThat(answers).extracting(Answer::allowed).containsExactly(true, false, false, false);
        runUntil(start + 5 * SECOND);
        List<Answer> passed = answers.stream().filter(Answer::allowed).toList();
        assertThat(passed).hasSize(11);
        for (int i = 1; i < passed.size(); i++) {
            assertThat(passed.get(i).micros() - passed.get(i - 1).micros()).isBetween(95_000L, 105_000L);
        }
        assertThat(passed.get(10).micros() - start).isLessThanOrEqualTo(SECOND + 5_000);
        assertThat(queues.waiting()).isZero();
    }

    @Test
    void aCallerThatLeavesAShaperReleasesItsPermit() {
        Limit leaky = Limit.leakyBucket(1, Duration.ofSeconds(1)).withBurst(10);
        RequestQueues queues = queues(
                rule("all", leaky).queue(bounds(30_000, 100)).build(),
                rule("calls", Limit.concurrency(2, Duration.ofHours(1))).build());
        ask(queues, "first");
        ask(queues, "leaves");
        cancels.forEach(Runnable::run);
        ask(queues, "third");
        runUntil(now + 10 * SECOND);
        assertThat(answers)
                .extracting(Answer::caller, Answer::allowed)
                .containsExactly(tuple("first", true), tuple("third", true));
    }

    @Test
    void aShaperDeniesARequestThatIsTooLongToWaitAndTakesNothingForIt() {
        Limit leaky = Limit.leakyBucket(1, Duration.ofSeconds(1)).withBurst(10);
        RequestQueues queues =
                queues(rule("all", leaky).queue(bounds(30_000, 100)).build());
        ask(queues, "u");
        for (int i = 0; i < 20; i++) {
            ask(queues, "x".repeat(WaitingText.MOST));
        }
        assertThat(answers).hasSize(21);
        assertThat(answers.subList(1, 21)).noneMatch(Answer::allowed).allMatch(each -> each.retryAfter() == SECOND);
        assertThat(results).containsEntry(WaitResult.REFUSED, 20);
        assertThat(queues.waiting()).isZero();
        ask(queues, "v");
        assertThat(queues.waiting()).isEqualTo(1);
        runUntil(now + SECOND);
        assertThat(answers.get(21).allowed()).isTrue();
    }

    @Test
    void noMoreRequestsWaitForAShaperThanForAllQueues() {
        Limit leaky = Limit.leakyBucket(5_000, Duration.ofSeconds(1)).withBurst(20_000);
        RequestQueues queues =
                queues(rule("all", leaky).queue(bounds(5_000, 100)).build());
        for (int i = 0; i <= RequestQueues.MOST_WAITING + 5; i++) {
            ask(queues, "u" + i);
        }
        assertThat(queues.waiting()).isEqualTo(RequestQueues.MOST_WAITING);
        assertThat(answers).hasSize(6).filteredOn(Answer::allowed).hasSize(1);
        cancels.forEach(Runnable::run);
        assertThat(queues.waiting()).isZero();
        assertThat(tasks).isEmpty();
    }

    @Test
    void closingAnswersWhatAShaperAdmitted() {
        Limit leaky = Limit.leakyBucket(50, Duration.ofSeconds(1)).withBurst(10);
        RequestQueues queues =
                queues(rule("all", leaky).queue(bounds(3_000, 100)).build());
        for (int i = 0; i < 5; i++) {
            ask(queues, "u" + i);
        }
        assertThat(queues.waiting()).isEqualTo(4);
        queues.close();
        assertThat(answers).hasSize(5).allMatch(Answer::allowed);
        assertThat(queues.waiting()).isZero();
    }

    @Test
    void closingDeniesAllThatWait() {
        RequestQueues queues =
                queues(rule("all", fifty()).queue(bounds(3_000, 100)).build());
        for (int i = 0; i < 11; i++) {
            ask(queues, "u" + i);
        }
        queues.close();
        assertThat(answers).hasSize(11);
        assertThat(queues.waiting()).isZero();
        ask(queues, "late");
        assertThat(answers).hasSize(12);
        assertThat(tasks).isEmpty();
    }

    @Test
    void aTarpitDelaysOneDenialOfEachCaller() {
        RequestQueues queues = queues(rule("own", Limit.fixedWindow(1, Duration.ofHours(1)))
                .tarpitMicros(2 * SECOND)
                .build());
        long start = now;
        ask(queues, "a");
        ask(queues, "a");
        assertThat(answers).hasSize(1);
        assertThat(queues.tarpitted()).isEqualTo(1);
        ask(queues, "a"); // has one already
        assertThat(answers).hasSize(2);
        runUntil(start + 3 * SECOND);
        assertThat(answers).hasSize(3);
        assertThat(answers.get(2).micros() - start).isBetween(1_600_000L, 2_400_000L);
        assertThat(queues.tarpitted()).isZero();
    }

    @Test
    void aTarpitHoldsNoMoreThanItsBound() {
        RequestQueues queues = queues(rule("own", Limit.fixedWindow(0, Duration.ofHours(1)))
                .tarpitMicros(2 * SECOND)
                .build());
        for (int i = 0; i < Tarpit.MOST + 500; i++) {
            ask(queues, "u" + i);
        }
        assertThat(queues.tarpitted()).isEqualTo(Tarpit.MOST);
        cancels.forEach(Runnable::run);
        assertThat(queues.tarpitted()).isZero();
        assertThat(tasks).isEmpty();
    }
}
