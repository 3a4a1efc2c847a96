package dev.weir.rules.internal.load;

import dev.weir.internal.runtime.DaemonThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reloads a source when it changes, within a second.
 *
 * <pre>{@code
 * RuleWatcher watcher = new RuleWatcher(path, options, result -> …);   // on the watcher's own thread
 * LoadResult first = watcher.load();                                    // start only on rules that load
 * watcher.start();
 * }</pre>
 *
 * <p><b>Why it polls.</b> File system events name the watched folder, not the current target of a link. Network file
 * systems and many container file systems send none. Renames, swapped ConfigMap links, edited targets and remounted
 * volumes would each need special code, and still a poll to be sure. Reading the stamps of a few files four times a
 * second costs microseconds and handles all of these cases. Contents are read only if stamps differ, or are too fresh
 * to be reliable.
 *
 * <p><b>Half-written files.</b> New contents load when two consecutive polls have read the same, or after they have
 * changed for {@value #MAX_UNSETTLED} polls: the first half of a file can be valid, with fewer rules.
 *
 * <p><b>Errors.</b> The listener receives each new version of the contents once, valid or not. An invalid one has no
 * rule set: keep the last.
 */
public final class RuleWatcher implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(200);
    private static final Duration RACY = Duration.ofSeconds(2);
    private static final int MAX_UNSETTLED = 3;

    private final RulePaths source;
    private final LoadOptions options;
    private final Consumer<LoadResult> listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private String loaded = "";
    private List<FileStamp> stamps = List.of();
    private Instant stampedAt = Instant.EPOCH;
    private @Nullable RuleFilesSnapshot candidate;
    private int unsettled;

    public RuleWatcher(Path source, LoadOptions options, Consumer<LoadResult> listener) {
        this(List.of(source), options, listener);
    }

    /** Creates a watcher of files and folders that form one source. */
    public RuleWatcher(List<Path> sources, LoadOptions options, Consumer<LoadResult> listener) {
        this.source = RulePaths.at(sources);
        this.options = options;
        this.listener = listener;
        this.thread = DaemonThreads.create("weir-rules-watcher", this::run);
    }

    /** Loads the source as it is now; the listener receives only later changes. */
    public synchronized LoadResult load() {
        stampedAt = Instant.now();
        stamps = source.stamps();
        RuleFilesSnapshot contents = source.read();
        loaded = contents.fingerprint();
        return RuleLoader.load(contents, options);
    }

    /** Starts to watch. */
    public void start() {
        thread.start();
    }

    /** Stops watching. Once it has returned, the listener is not running and will not be called again. */
    @Override
    public void close() {
        closed.countDown();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed.await(EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    LoadResult changed = poll();
                    if (changed != null && closed.getCount() > 0) {
                        listener.accept(changed);
                    }
                } catch (RuntimeException | Error e) {
                    // A listener that fails, or a file that is nested too deep, must not end the watcher. The handler
                    // of uncaught exceptions receives the error.
                    Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
                    if (handler != null) {
                        handler.uncaughtException(thread, e);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the result of loading new contents; null if there are none, or if they have not settled. */
    private synchronized @Nullable LoadResult poll() {
        Instant now = Instant.now();
        List<FileStamp> seen = source.stamps();
        Instant doubtful = stampedAt.minus(RACY);
        boolean sure = candidate == null && seen.stream().noneMatch(each -> each.isAfter(doubtful));
        if (sure && seen.equals(stamps)) {
            return null;
        }
        stamps = seen;
        stampedAt = now;
        RuleFilesSnapshot contents = source.read();
        if (contents.fingerprint().equals(loaded)) {
            candidate = null;
            unsettled = 0;
            return null;
        }
        boolean settled = candidate != null && candidate.fingerprint().equals(contents.fingerprint());
        if (!settled && ++unsettled < MAX_UNSETTLED) {
            candidate = contents;
            return null;
        }
        candidate = null;
        unsettled = 0;
        loaded = contents.fingerprint();
        return RuleLoader.load(contents, options);
    }
}
