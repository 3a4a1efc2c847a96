package dev.weir.internal.limiter;

import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.GrantedAhead;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A shared store in one thread that answers when the test says so, from a memory store of its own, or fails. */
final class ScriptedStore implements SharedStore {
    final MemoryStore counters = new MemoryStore(10_000);
    final List<Ask> waiting = new ArrayList<>();
    /** In how many slots its counters live. */
    int slots = 1;

    /** The hits of every check that was asked, by the counter's name: {@code tb:d:r 1}. */
    final List<String> asked = new ArrayList<>();

    private final Map<String, Kept> kept = new HashMap<>();
    private final SharedLimiterHarness fleet;
    private @Nullable StoreFailure failure;
    private boolean atOnce;

    ScriptedStore(SharedLimiterHarness fleet) {
        this.fleet = fleet;
    }

    /** Answers what it is asked from now on at once. */
    ScriptedStore answering() {
        atOnce = true;
        return this;
    }

    /** Fails everything that it answers from now on; null ends it. */
    void fail(@Nullable StoreFailure failure) {
        this.failure = failure;
    }

    @Override
    public int slot(Check check) {
        return (int) Math.floorMod(check.name.subject(), (long) slots);
    }

    @Override
    public void decide(Ask ask) {
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            asked.add(check.name + " " + check.hits + (check.ahead > 0 ? "+" + check.ahead : "")
                    + (ask.denied ? " denied" : ""));
        }
        if (atOnce) {
            answer(ask);
        } else {
            waiting.add(ask);
        }
    }

    /** Answers what waits at {@code index}. */
    void answer(int index) {
        answer(waiting.remove(index));
    }

    void answerAll() {
        while (!waiting.isEmpty()) {
            answer(0);
        }
    }

    /** Decides all that waits, and has its answers arrive so much later. */
    void answerAllAfter(long micros) {
        List<Ask> decided = List.copyOf(waiting);
        waiting.clear();
        decided.forEach(this::decideOrFail);
        fleet.now += micros;
        decided.forEach(ask -> ask.home.execute(ask::answered));
    }

    private void answer(Ask ask) {
        decideOrFail(ask);
        ask.home.execute(ask::answered);
    }

    private void decideOrFail(Ask ask) {
        Checks checks = ask.checks;
        int size = checks.size();
        ask.repeated = false;
        ask.conflict = false;
        if (failure == null) {
            decideOnce(ask);
        }
        for (int i = 0; i < size; i++) {
            checks.get(i).failure = failure;
        }
    }

    /** The outcomes that were admitted under an idempotency key. */
    private record Kept(Idempotency by, List<Outcome> outcomes) {}

    private void decideOnce(Ask ask) {
        Idempotency idempotency = ask.idempotency;
        String key =
                idempotency == null ? "" : Arrays.toString(idempotency.caller()) + Arrays.toString(idempotency.key());
        Kept known = idempotency == null ? null : kept.get(key);
        if (idempotency != null && known != null) {
            ask.repeated = Arrays.equals(known.by.fingerprint(), idempotency.fingerprint());
            ask.conflict = !ask.repeated;
            for (int i = 0; i < ask.checks.size(); i++) {
                ask.checks.get(i).outcome.set(known.outcomes.get(i));
            }
            return;
        }
        boolean passed = decide(ask.checks, ask.denied);
        if (idempotency != null && passed && !ask.lookOnly) {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < ask.checks.size(); i++) {
                outcomes.add(new Outcome());
                outcomes.get(i).set(ask.checks.get(i).outcome);
            }
            kept.put(key, new Kept(idempotency, outcomes));
        }
    }

    private boolean decide(Checks checks, boolean denied) {
        Checks copy = new Checks();
        copy.quotaPassed = checks.quotaPassed;
        for (int i = 0; i < checks.size(); i++) {
            copy.add().set(checks.get(i));
        }
        if (denied) {
            Check over = copy.add();
            over.meter = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));
            over.hits = 1;
        }
        boolean passed = counters.decide(copy, fleet.now);
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i).outcome.set(copy.get(i).outcome);
        }
        if (passed) {
            GrantedAhead.take(counters, checks, fleet.now);
        }
        return passed;
    }

    @Override
    public void close() {
        counters.close();
    }
}
