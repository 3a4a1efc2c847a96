package dev.weir.server.lifecycle;

import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.internal.runtime.Sha256;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Calls back when the contents of a few small files have changed: certificates, keys, a token.
 *
 * <p>It polls the files twice a second, like the watcher of the rule files: a symlink that Kubernetes swaps, a rename
 * and an edit in place all look the same. New contents count when two polls in a row have seen them, so that a new
 * certificate is not used before its key is there.
 */
public final class FileWatcher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FileWatcher.class.getName());
    private static final int POLL_MILLIS = 500;

    private final List<Watched> watched = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-file-watch"));

    /** Fingerprints {@code files}. Call this before reading them, so that no later change is missed. */
    public static Seen seen(List<Path> files) {
        return new Seen(List.copyOf(files), fingerprint(files));
    }

    /** Calls {@code changed}, on the watcher's thread, when the files differ from {@code seen}. */
    public void add(Seen seen, Runnable changed) {
        watched.add(new Watched(seen, changed));
    }

    /** Starts polling. */
    public void start() {
        if (!watched.isEmpty()) {
            var unused = timer.scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void poll() {
        for (Watched each : watched) {
            try {
                each.poll();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "cannot apply the change in " + each.files, e);
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** The fingerprint of some files at one time. */
    public record Seen(List<Path> files, String fingerprint) {}

    private static final class Watched {
        private final List<Path> files;
        private final Runnable changed;
        private String applied;
        private String seen;

        Watched(Seen first, Runnable changed) {
            this.files = first.files;
            this.changed = changed;
            this.applied = first.fingerprint;
            this.seen = applied;
        }

        void poll() {
            String now = fingerprint(files);
            boolean settled = now.equals(seen);
            seen = now;
            if (settled && !now.equals(applied)) {
                applied = now;
                changed.run();
            }
        }
    }

    private static String fingerprint(List<Path> files) {
        MessageDigest digest = Sha256.digest();
        for (Path each : files) {
            digest.update(contents(each));
            digest.update((byte) '\n');
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** An unreadable file counts as an empty one. */
    private static byte[] contents(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            return new byte[0];
        }
    }
}
