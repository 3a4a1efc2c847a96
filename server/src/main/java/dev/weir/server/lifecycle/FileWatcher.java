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
 * Tells when the contents of a few small files have changed: certificates, keys, a token.
 *
 * <p>It reads them twice a second, for the reasons that the rules' watcher polls: a link that Kubernetes swaps, a rename and an
 * edit in place are all the same to it. New contents count when two looks in a row have seen them, so that a certificate is not
 * taken before its key is there.
 */
public final class FileWatcher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FileWatcher.class.getName());
    private static final int EVERY_MILLIS = 500;

    private final List<Watched> watched = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-file-watch"));

    /** What stands in {@code files} now; asked for before they are read, so that no change after that is missed. */
    public static Seen seen(List<Path> files) {
        return new Seen(List.copyOf(files), fingerprint(files));
    }

    /** Watches for something else than was {@code seen}; {@code changed} is called on the watch's thread. */
    public void add(Seen seen, Runnable changed) {
        watched.add(new Watched(seen, changed));
    }

    /** Begins to look. */
    public void start() {
        if (!watched.isEmpty()) {
            var unused = timer.scheduleWithFixedDelay(this::look, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        for (Watched each : watched) {
            try {
                each.look();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "what changed in " + each.files + " cannot be taken", e);
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** Files as they were at some time. */
    public record Seen(List<Path> files, String fingerprint) {}

    private static final class Watched {
        private final List<Path> files;
        private final Runnable changed;
        private String taken;
        private String seen;

        Watched(Seen first, Runnable changed) {
            this.files = first.files;
            this.changed = changed;
            this.taken = first.fingerprint;
            this.seen = taken;
        }

        void look() {
            String now = fingerprint(files);
            boolean settled = now.equals(seen);
            seen = now;
            if (settled && !now.equals(taken)) {
                taken = now;
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

    /** A file that is away is one without contents. */
    private static byte[] contents(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            return new byte[0];
        }
    }
}
