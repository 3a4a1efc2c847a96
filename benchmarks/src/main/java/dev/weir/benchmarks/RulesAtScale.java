package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads 100,000 rules from files, and prints the time of the first load, that of further ones, and the memory of a rule: what
 * the heap holds more after a collection. Then it reloads them while another thread decides without a pause, and prints the longest time between two of
 * its decisions, beside that of as many seconds without a reload.
 *
 * <pre>{@code
 * JAVA_OPTS="-Xms2g -Xmx2g" MAIN=RulesAtScale benchmarks/run [--rules 100000] [--reloads 5]
 * }</pre>
 */
public final class RulesAtScale {
    private static final int FILES = 10;

    private final int rules;
    private final int reloads;
    private final Path folder;

    private RulesAtScale(BenchmarkOptions options) throws IOException {
        rules = options.number("--rules", 100_000);
        reloads = options.number("--reloads", 5);
        folder = Files.createTempDirectory("rules");
    }

    public static void main(String[] args) throws Exception {
        new RulesAtScale(new BenchmarkOptions(List.of(args))).run();
    }

    private void run() throws IOException, InterruptedException {
        write();
        long empty = usedBytes();
        long start = System.nanoTime();
        WrittenRules written = load();
        long read = System.nanoTime();
        RuleIndex index = compiled(written);
        System.out.printf(
                "%,d rules from %d files: first load %.2f s, %.2f s of it to compile%n",
                index.rules().size(), FILES, seconds(start), seconds(read));
        System.out.printf("memory of a rule: %.0f bytes%n", (double) (usedBytes() - empty) / rules);
        try (MemoryStore store = new MemoryStore(1_000_000)) {
            Limiter limiter = new Limiter(
                    written, store, TimeSource.system(), LimiterSettings.defaults(), new LimiterObserver() {});
            limiter.index(index);
            Caller caller = new Caller(limiter, rules);
            caller.start();
            Thread.sleep(5_000);
            for (int i = 0; i < reloads; i++) {
                caller.longest();
                long began = System.nanoTime();
                WrittenRules again = load();
                RuleIndex next = compiled(again);
                long swapped = System.nanoTime();
                limiter.index(next);
                double seconds = seconds(began);
                double swap = seconds(swapped);
                double longest = caller.longest();
                Thread.sleep((long) (seconds * 1_000));
                System.out.printf(
                        "reload: %.2f s, %.3f ms of it to swap; longest time between two decisions %.2f ms; in as long without a"
                                + " reload %.2f ms%n",
                        seconds, swap * 1_000, longest, caller.longest());
            }
            caller.interrupt();
            caller.join();
        }
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private void write() throws IOException {
        for (int file = 0; file < FILES; file++) {
            Path path = folder.resolve("rules-" + file + ".yaml");
            path.toFile().deleteOnExit();
            try (BufferedWriter out = Files.newBufferedWriter(path)) {
                out.write("domain: bench" + file + "\nkey_by: user\nrules:\n");
                for (int i = file; i < rules; i += FILES) {
                    out.write("  - name: rule-" + i + "\n    match: { tenant: tenant-" + i
                            + " }\n    limit: { requests: " + (i % 1_000 + 1) + ", window: 1h }\n");
                }
            }
        }
        folder.toFile().deleteOnExit();
    }

    private WrittenRules load() {
        LoadResult result = RuleLoader.loadAll(List.of(folder), LoadOptions.DEFAULT);
        WrittenRules found = result.rules();
        if (found == null) {
            throw new IllegalStateException("rules: " + result.errors() + " (expected: no errors)");
        }
        return found;
    }

    private static RuleIndex compiled(WrittenRules rules) {
        return RuleIndex.of(rules);
    }

    /** Decides without a pause, and notes the longest time between two decisions. */
    private static final class Caller extends Thread {
        private final Limiter limiter;
        private final TimeSource clock = TimeSource.system();
        private final int rules;
        private volatile long longest;
        private volatile boolean reset;

        Caller(Limiter limiter, int rules) {
            super("caller");
            this.limiter = limiter;
            this.rules = rules;
        }

        @Override
        public void run() {
            Request request = Request.to("bench0");
            MutableDecision decision = new MutableDecision();
            long last = System.nanoTime();
            for (int i = 0; !isInterrupted(); i++) {
                int rule = i % rules;
                request.clear("bench" + rule % FILES)
                        .with("tenant", "tenant-" + rule)
                        .with("user", "u" + (i & 1023));
                limiter.decide(request, clock.micros(), decision);
                long now = System.nanoTime();
                if (reset) {
                    reset = false;
                    longest = 0;
                } else {
                    longest = Math.max(longest, now - last);
                }
                last = now;
            }
        }

        /** The longest since the last call, in milliseconds. */
        double longest() throws InterruptedException {
            double found = longest / 1e6;
            reset = true;
            while (reset && isAlive()) {
                Thread.sleep(1);
            }
            return found;
        }
    }
}
