package dev.weir.benchmarks.server;

import dev.weir.server.WeirServer;
import dev.weir.server.settings.SettingsReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Measures how long after an edit of its rules a server under load decides by them, and whether a call fails meanwhile.
 * The clock starts before the edit is visible and stops at the first answer under the new limit. It also prints the
 * last answer under the old limit.
 *
 * <pre>{@code
 * MAIN=ReloadLatency benchmarks/run [EDITS]
 * }</pre>
 */
public final class ReloadLatency {
    private static final int CALLERS = 64;
    private static final long FIRST_LIMIT = 1_000_000_000;
    private static final long GIVEN_UP = TimeUnit.SECONDS.toNanos(30);
    private static final long STRAGGLERS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_PAUSE = TimeUnit.MILLISECONDS.toNanos(400);

    /** A way in which rule files change. */
    private interface Edit {
        void apply(String rules) throws IOException;
    }

    /** The first answer under the wanted limit, and the last one under another: nanoseconds. */
    private static final class Watch {
        volatile long wanted = FIRST_LIMIT;
        volatile long firstNew;
        volatile long lastOld;

        void answered(long limit) {
            if (limit != wanted) {
                lastOld = System.nanoTime();
            } else if (firstNew == 0) {
                firstNew = System.nanoTime();
            }
        }

        void lookFor(long limit) {
            firstNew = 0;
            wanted = limit;
        }
    }

    /** Held so that its level is not lost to garbage collection: a log line for each edit would bury the result. */
    private static final Logger QUIET = Logger.getLogger("dev.weir");

    private ReloadLatency() {}

    public static void main(String[] args) throws Exception {
        int edits = args.length > 0 ? Integer.parseInt(args[0]) : 30;
        QUIET.setLevel(Level.WARNING);
        Path folder = Files.createTempDirectory("weir-reload");
        System.out.println("edit              edits   median ms    worst ms   worst last old ms      calls   failed");
        Path written = folder.resolve("written.yaml");
        run("written in place", written, edits, rules -> Files.writeString(written, rules));
        Path renamed = folder.resolve("renamed.yaml");
        run("renamed over", renamed, edits, rules -> {
            Path draft = Files.writeString(folder.resolve("draft"), rules);
            move(draft, renamed);
        });
        Path mounted = Files.createDirectory(folder.resolve("configmap"));
        Files.createSymbolicLink(mounted.resolve("rules.yaml"), Path.of("..data", "rules.yaml"));
        run("ConfigMap swapped", mounted, edits, rules -> {
            Path version = Files.createTempDirectory(mounted, "..version");
            Files.writeString(version.resolve("rules.yaml"), rules);
            Path link = Files.createSymbolicLink(mounted.resolve("..data_tmp"), version.getFileName());
            move(link, mounted.resolve("..data"));
        });
        delete(folder);
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> below = Files.walk(folder)) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void run(String name, Path source, int edits, Edit edit) throws Exception {
        edit.apply(rules(FIRST_LIMIT));
        Map<String, String> flags = Map.of(
                "rules", source.toString(), "host", "127.0.0.1", "grpc_port", "0", "http_port", "0", "admin_port", "0");
        Watch watch = new Watch();
        try (WeirServer server = WeirServer.start(SettingsReader.read(flags, Map.of(), Path.of("")));
                RlsLoad load = new RlsLoad(server.grpc().port(), CALLERS, "bench", "user", watch::answered)) {
            awaitFirst(watch, System.nanoTime());
            pause(TimeUnit.SECONDS.toNanos(3)); // warms up the client
            Random random = new Random(1);
            long[] first = new long[edits];
            long[] last = new long[edits];
            for (int i = 0; i < edits; i++) {
                // At a random moment between two checks of the file.
                pause(random.nextLong(MOST_PAUSE));
                long limit = FIRST_LIMIT + i + 1;
                String rules = rules(limit);
                long start = System.nanoTime();
                watch.lookFor(limit);
                edit.apply(rules);
                first[i] = awaitFirst(watch, start);
                pause(STRAGGLERS);
                last[i] = watch.lastOld - start;
            }
            Arrays.sort(first);
            System.out.printf(
                    Locale.ROOT,
                    "%-17s %5d %11.0f %11.0f %19.0f %10d %8d%n",
                    name,
                    edits,
                    first[edits / 2] / 1e6,
                    first[edits - 1] / 1e6,
                    Arrays.stream(last).max().orElse(0) / 1e6,
                    load.answered(),
                    load.failed());
        }
    }

    private static long awaitFirst(Watch watch, long start) {
        while (watch.firstNew == 0) {
            if (System.nanoTime() - start > GIVEN_UP) {
                throw new IllegalStateException("no answer under limit " + watch.wanted + " in 30 s");
            }
            pause(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return watch.firstNew - start;
    }

    private static void pause(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static String rules(long limit) {
        return String.join(
                "\n",
                List.of(
                        "domain: bench",
                        "descriptors:",
                        "  - key: user",
                        "    rate_limit: { unit: day, requests_per_unit: " + limit + " }",
                        ""));
    }
}
