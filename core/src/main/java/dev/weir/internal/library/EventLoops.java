package dev.weir.internal.library;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Keeps blocking calls off Netty's event loops: there they stop every other connection, and wait for an answer that the loop itself brings. */
public final class EventLoops {
    /** Netty's table of the executor that runs each thread; null without Netty. Looked up by name, as core depends on the JDK alone. */
    private static final @Nullable MethodHandle CURRENT = find();

    private EventLoops() {}

    /**
     * Refuses to go on where this thread must not wait.
     *
     * @throws IllegalStateException on an event loop of Netty
     */
    public static void refuse(String call, String instead) {
        if (isOnOne()) {
            throw new IllegalStateException(call + " would block the event loop "
                    + Thread.currentThread().getName() + " (expected: " + instead + ")");
        }
    }

    private static boolean isOnOne() {
        if (CURRENT == null) {
            return false;
        }
        try {
            return (Object) CURRENT.invokeExact() != null;
        } catch (Throwable e) {
            return false; // an unknown Netty: nothing is known of its threads
        }
    }

    private static @Nullable MethodHandle find() {
        try {
            Class<?> table = Class.forName("io.netty.util.internal.ThreadExecutorMap");
            Class<?> executor = Class.forName("io.netty.util.concurrent.EventExecutor");
            return MethodHandles.publicLookup()
                    .findStatic(table, "currentExecutor", MethodType.methodType(executor))
                    .asType(MethodType.methodType(Object.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }
}
