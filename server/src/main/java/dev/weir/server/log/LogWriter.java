package dev.weir.server.log;

import dev.weir.internal.runtime.DaemonThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Writes lines to a stream on a thread of its own, for the stream may be a pipe whose reader has stopped reading: who logs is often
 * an event loop and never waits. What does not fit any more is dropped, and a line in its place says how much it was.
 */
final class LogWriter {
    private static final int MOST_WAITING = 1_024;

    private final OutputStream out;
    private final IntFunction<byte[]> droppedLine;
    private final Consumer<IOException> failed;
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private int dropped;
    private boolean writing;

    /** {@code droppedLine} says how many lines are missing where it stands. */
    LogWriter(OutputStream out, IntFunction<byte[]> droppedLine, Consumer<IOException> failed) {
        this.out = out;
        this.droppedLine = droppedLine;
        this.failed = failed;
        DaemonThreads.create("weir-log", this::run).start();
    }

    synchronized void write(byte[] line) {
        if (waiting.size() >= MOST_WAITING) {
            dropped++;
            return;
        }
        tellOfDropped();
        waiting.add(line);
        notifyAll();
    }

    private void tellOfDropped() {
        if (dropped > 0) {
            waiting.add(droppedLine.apply(dropped));
            dropped = 0;
        }
    }

    private void run() {
        try {
            while (true) {
                write(out, next());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(OutputStream to, byte[] line) {
        try {
            to.write(line);
            to.flush();
        } catch (IOException e) {
            failed.accept(e);
        }
    }

    private synchronized byte[] next() throws InterruptedException {
        writing = false;
        notifyAll();
        while (true) {
            byte[] line = waiting.poll();
            if (line != null) {
                writing = true;
                return line;
            }
            tellOfDropped();
            if (waiting.isEmpty()) {
                wait();
            }
        }
    }

    /** Waits until everything is written, or for {@code most}. */
    synchronized void flush(Duration most) {
        long until = System.nanoTime() + most.toNanos();
        try {
            while (writing || !waiting.isEmpty() || dropped > 0) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                if (left <= 0) {
                    return;
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
