package dev.weir.control.decisions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to files. If the disk is full or gone, this is logged once, lines are dropped, and the file is opened
 * again every second.
 */
final class FileOutlet implements Outlet {
    private static final System.Logger LOG = System.getLogger(FileOutlet.class.getName());
    private static final int BUFFER = 64 << 10;
    private static final long RETRY_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final DecisionSinkSettings.File settings;
    /** The clock, in milliseconds since the epoch. */
    private final LongSupplier clock;

    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private int buffered;
    private @Nullable RotatingFile file;
    private boolean failing;
    private long nextCheckAt;
    private final LongAdder written = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    FileOutlet(DecisionSinkSettings.File settings, LongSupplier clock) {
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "file";
    }

    @Override
    public void write(DecisionLine line) {
        byte[] json = line.json();
        if (json.length + 1 > BUFFER) {
            dropped.increment();
            return;
        }
        RotatingFile open = file;
        int bytes = buffer.position() + json.length + 1;
        if (bytes > BUFFER || (open != null && buffered > 0 && open.isFull(bytes))) {
            flush();
        }
        buffer.put(json).put((byte) '\n');
        buffered++;
    }

    @Override
    public void pause() {
        flush();
        long now = clock.getAsLong();
        RotatingFile open = file;
        if (open != null && (now >= nextCheckAt || now < nextCheckAt - RETRY_MILLIS)) {
            nextCheckAt = now + RETRY_MILLIS;
            try {
                open.rotateIfDue(now);
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    private void flush() {
        if (buffered == 0) {
            return;
        }
        RotatingFile open = open();
        if (open != null) {
            try {
                open.write(buffer.flip(), clock.getAsLong());
                written.add(buffered);
                if (failing) {
                    failing = false;
                    LOG.log(System.Logger.Level.INFO, "decisions are again written to " + settings.path());
                }
            } catch (IOException e) {
                dropped.add(buffered);
                failed(e);
            }
        } else {
            dropped.add(buffered);
        }
        buffer.clear();
        buffered = 0;
    }

    private @Nullable RotatingFile open() {
        long now = clock.getAsLong();
        if (file == null && (!failing || now >= nextCheckAt)) {
            try {
                file = RotatingFile.open(settings, now);
            } catch (IOException e) {
                failed(e);
            }
        }
        return file;
    }

    private void failed(IOException e) {
        if (!failing) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "decisions cannot be written to " + settings.path() + " and are dropped: " + e);
        }
        failing = true;
        nextCheckAt = clock.getAsLong() + RETRY_MILLIS;
        closeFile();
    }

    private void closeFile() {
        RotatingFile open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // The failed write is logged already.
            }
        }
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public long dropped() {
        return dropped.sum();
    }

    @Override
    public void close() {
        flush();
        closeFile();
    }
}
