package dev.weir.internal.library;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Keeps blocking calls off Netty's event loops. A blocked loop stops all its connections, and may wait for an answer
 * that the loop itself must read.
 */
public final class EventLoops {
    /**
     * Netty's lookup of the current thread's executor; null without Netty. Found by name, because core depends on the
     * JDK alone.
     */
    private static final @Nullable MethodHandle CURRENT = find();

    private EventLoops() {}

    /**
     * Throws if this thread must not block.
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
