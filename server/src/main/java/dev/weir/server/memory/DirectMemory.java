package dev.weir.server.memory;

import java.lang.management.ManagementFactory;

/**
 * Sets up Netty's direct memory before Netty is loaded. Through the JDK, an allocation that exceeds the limit sleeps and
 * collects garbage again and again, on the event loop; on its own, Netty counts what it allocates and fails at once.
 * (Netty's own way needs {@code --add-opens java.base/java.nio=ALL-UNNAMED}, which the jar's manifest has.)
 */
public final class DirectMemory {
    private static final String ACCESS = "io.netty.tryReflectionSetAccessible";
    private static final String MOST = "io.netty.maxDirectMemory";
    private static final String JVM_MOST = "-XX:MaxDirectMemorySize";
    private static final long LEAST = 64L << 20;

    private DirectMemory() {}

    /** To be called before any class of Netty is loaded; values that somebody set stay. */
    public static void prepare() {
        setUnlessSet(ACCESS, "true");
        if (ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .noneMatch(each -> each.startsWith(JVM_MOST))) {
            // The JVM allows as much as the heap, which together does not fit into a container of twice the heap.
            setUnlessSet(
                    MOST, String.valueOf(Math.max(LEAST, Runtime.getRuntime().maxMemory() / 8 * 3)));
        }
    }

    private static void setUnlessSet(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }
}
