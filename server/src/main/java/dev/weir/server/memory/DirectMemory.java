package dev.weir.server.memory;

import java.lang.management.ManagementFactory;

/**
 * Sets up Netty's direct memory before Netty is loaded. If the JDK allocates it, an allocation above the limit sleeps and
 * collects garbage repeatedly, on the event loop. If Netty allocates it, Netty counts the bytes and fails at once. That
 * needs {@code --add-opens java.base/java.nio=ALL-UNNAMED}, which the jar's manifest has.
 */
public final class DirectMemory {
    private static final String ACCESS = "io.netty.tryReflectionSetAccessible";
    private static final String MOST = "io.netty.maxDirectMemory";
    private static final String JVM_MOST = "-XX:MaxDirectMemorySize";
    private static final long LEAST = 64L << 20;

    private DirectMemory() {}

    /** Sets the system properties that are not set yet; to be called before any class of Netty is loaded. */
    public static void prepare() {
        setUnlessSet(ACCESS, "true");
        if (ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .noneMatch(each -> each.startsWith(JVM_MOST))) {
            // The JVM's default is the size of the heap; both together do not fit into a container of twice the heap.
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
