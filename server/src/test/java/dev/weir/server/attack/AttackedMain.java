package dev.weir.server.attack;

import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/**
 * Runs the {@code weir} command, perhaps of an earlier build, and prints its memory after a garbage collection for every
 * line on standard input.
 */
public final class AttackedMain {
    static final String MEMORY = "MEMORY ";

    private AttackedMain() {}

    public static void main(String[] arguments) {
        Thread asked = new Thread(AttackedMain::answer, "memory");
        asked.setDaemon(true);
        asked.start();
        try {
            Class.forName(System.getProperty("weir.attack.main"))
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (in.readLine() != null) {
                System.gc();
                long heap =
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
                System.out.println(MEMORY + heap + " " + direct());
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Direct memory that the JDK counts, and that Netty allocates past it. */
    private static long direct() {
        long pooled = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return pooled + Math.max(0, PlatformDependent.usedDirectMemory());
    }
}
