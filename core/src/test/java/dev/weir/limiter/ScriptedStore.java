package dev.weir.limiter;

import dev.weir.algorithm.Meters;
import dev.weir.model.Limit;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.SharedStore;
import dev.weir.store.StoreFailure;
import dev.weir.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A shared store in one thread that answers when the test says so, from a memory store of its own, or fails. */
final class ScriptedStore implements SharedStore {
    final MemoryStore counters = new MemoryStore(10_000);
    final List<Ask> waiting = new ArrayList<>();
    /** The hits of every check that was asked, by the counter's name: {@code tb:d:r 1}. */
    final List<String> asked = new ArrayList<>();

    private final Fleet fleet;
    private @Nullable StoreFailure failure;
    private boolean atOnce;

    ScriptedStore(Fleet fleet) {
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
    public void decide(Ask ask) {
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            asked.add(check.name + " " + check.hits + (ask.denied ? " denied" : ""));
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

    private void answer(Ask ask) {
        Checks checks = ask.checks;
        int size = checks.size();
        if (failure == null) {
            decide(checks, ask.denied);
        }
        for (int i = 0; i < size; i++) {
            checks.get(i).failure = failure;
        }
        ask.home.execute(ask::answered);
    }

    private void decide(Checks checks, boolean denied) {
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
        counters.decide(copy, fleet.now);
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i).outcome.set(copy.get(i).outcome);
        }
    }

    @Override
    public void close() {
        counters.close();
    }
}
