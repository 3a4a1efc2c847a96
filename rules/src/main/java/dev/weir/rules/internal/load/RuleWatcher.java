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
 * Loads a source again when it changes, well within a second.
 *
 * <pre>{@code
 * RuleWatcher watcher = new RuleWatcher(path, options, result -> …);   // on the watcher's own thread
 * LoadResult first = watcher.load();                                    // start only on rules that load
 * watcher.start();
 * }</pre>
 *
 * <p><b>Why it polls.</b> File system events name the folder that was watched, not the one that a link leads to now, and there
 * are none on network and many container file systems; a rename, a swapped ConfigMap link, an edited target and a remounted
 * volume would each need care of their own, and a poll beside it to be sure. Asking for the stamps of a few files four times a
 * second costs microseconds and is right for all of them. Contents are read only when stamps differ, or are so fresh that they
 * can not tell.
 *
 * <p><b>Half-written files.</b> New contents load when two polls in a row have seen the same, or when they have been changing
 * for {@value #MAX_UNSETTLED} polls: the first half of a file can be a valid one with fewer rules.
 *
 * <p><b>Errors.</b> The listener hears of each new contents once, good or bad. Bad ones have no rule set: keep the last.
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

    /** Watches files and folders that make up one source. */
    public RuleWatcher(List<Path> sources, LoadOptions options, Consumer<LoadResult> listener) {
        this.source = RulePaths.at(sources);
        this.options = options;
        this.listener = listener;
        this.thread = DaemonThreads.create("weir-rules-watcher", this::run);
    }

    /** Loads the source as it is now; the listener hears only of changes after this. */
    public synchronized LoadResult load() {
        stampedAt = Instant.now();
        stamps = source.stamps();
        RuleFilesSnapshot contents = source.read();
        loaded = contents.fingerprint();
        return RuleLoader.load(contents, options);
    }

    /** Begins to watch. */
    public void start() {
        thread.start();
    }

    /** Stops watching; when it returns, the listener is not running and will not be called again. */
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
                    // A listener that fails, or a file that is nested too deep to be read, must not end the watching
                    // of rules; whoever handles stray exceptions hears of it.
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

    /** What came of new contents, or null while there are none, or none that have settled. */
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
