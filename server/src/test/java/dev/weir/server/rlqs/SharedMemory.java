package dev.weir.server.rlqs;

import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A shared store in this process that answers at once, or fails, or says too much when it is only asked. */
final class SharedMemory implements SharedStore {
    private final MemoryStore counters = new MemoryStore(10_000);
    private final LongSupplier now;

    @Nullable
    StoreFailure failure;

    /** What it says is left beyond the truth when nothing is taken, as the store of one region of several does. */
    long tooMuch;

    SharedMemory(LongSupplier now) {
        this.now = now;
    }

    @Override
    public void decide(Ask ask) {
        if (failure == null) {
            decide(ask.checks, ask.denied);
        }
        for (int i = 0; i < ask.checks.size(); i++) {
            ask.checks.get(i).failure = failure;
        }
        ask.home.execute(ask::answered);
    }

    private void decide(Checks checks, boolean denied) {
        Checks copy = new Checks();
        for (int i = 0; i < checks.size(); i++) {
            copy.add().set(checks.get(i));
        }
        if (denied) {
            Check over = copy.add();
            over.meter = Meters.of(Limit.fixedWindow(0, Duration.ofSeconds(1)));
            over.hits = 1;
        }
        counters.decide(copy, now.getAsLong());
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i).outcome.set(copy.get(i).outcome);
            checks.get(i).outcome.remaining += denied ? tooMuch : 0;
        }
    }

    @Override
    public void close() {
        counters.close();
    }
}
