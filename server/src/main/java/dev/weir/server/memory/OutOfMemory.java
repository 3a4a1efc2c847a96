package dev.weir.server.memory;

import io.netty.util.internal.OutOfDirectMemoryError;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reacts when memory runs out although the budget was kept. If direct memory runs out, it closes the costliest
 * connections. If direct memory is still exhausted after some seconds and peers hold little of it, or if the heap is
 * exhausted, it logs the reason and ends the process, so that a supervisor can restart it.
 */
public final class OutOfMemory {
    private static final System.Logger LOG = System.getLogger(OutOfMemory.class.getName());
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long NEVER = Long.MIN_VALUE;
    private static final int EXIT_CODE = 3;
    private static final int DEEPEST = 8;

    private final MemoryBudget budget;
    private final LongSupplier nanos;
    private final Consumer<String> end;
    private final AtomicLong since = new AtomicLong(NEVER);

    public OutOfMemory(MemoryBudget budget) {
        this(budget, System::nanoTime, OutOfMemory::halt);
    }

    OutOfMemory(MemoryBudget budget, LongSupplier nanos, Consumer<String> end) {
        this.budget = budget;
        this.nanos = nanos;
        this.end = end;
    }

    /** Looks for an {@link OutOfMemoryError} in {@code failure} and its causes, and acts on it. */
    public void look(@Nullable Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof OutOfMemoryError error) {
                ranOut(error);
                return;
            }
            cause = cause.getCause();
        }
    }

    private void ranOut(OutOfMemoryError error) {
        if (!isDirect(error)) {
            end.accept("the heap is exhausted: " + error.getMessage());
            return;
        }
        long held = budget.held();
        budget.relieve();
        if (held > budget.limits().process() / 4) {
            since.set(NEVER); // peers hold the memory: closing their connections frees it
            return;
        }
        long now = nanos.getAsLong();
        long first = since.get();
        if (first == NEVER || now - first > FORGET_NANOS) {
            since.set(now);
        } else if (now - first > PATIENCE_NANOS) {
            end.accept("direct memory is exhausted, and no connection holds it: " + error.getMessage());
        }
    }

    private static boolean isDirect(OutOfMemoryError error) {
        return error instanceof OutOfDirectMemoryError
                || String.valueOf(error.getMessage()).contains("direct buffer memory");
    }

    private static void halt(String why) {
        String message =
                "out of memory: " + why + "; the process ends (give it a larger heap, or lower network_memory)";
        LOG.log(Level.ERROR, message);
        System.err.println(message);
        Runtime.getRuntime().halt(EXIT_CODE);
    }
}
