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
 * Writes lines to a stream on a thread of its own. The stream may be a pipe whose reader has stopped, and the caller is
 * often an event loop, which must never block. Lines that do not fit in the queue are dropped, and a line in their
 * place says how many.
 */
final class LogWriter {
    private static final int MAX_WAITING = 1_024;

    private final OutputStream out;
    private final IntFunction<byte[]> droppedLine;
    private final Consumer<IOException> failed;
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private int dropped;
    private boolean writing;

    /** Creates a writer. {@code droppedLine} makes the line that replaces dropped ones. */
    LogWriter(OutputStream out, IntFunction<byte[]> droppedLine, Consumer<IOException> failed) {
        this.out = out;
        this.droppedLine = droppedLine;
        this.failed = failed;
        DaemonThreads.create("weir-log", this::run).start();
    }

    synchronized void write(byte[] line) {
        if (waiting.size() >= MAX_WAITING) {
            dropped++;
            return;
        }
        queueDroppedLine();
        waiting.add(line);
        notifyAll();
    }

    private void queueDroppedLine() {
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
            queueDroppedLine();
            if (waiting.isEmpty()) {
                wait();
            }
        }
    }

    /** Waits until everything is written, for at most {@code timeout}. */
    synchronized void flush(Duration timeout) {
        long until = System.nanoTime() + timeout.toNanos();
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
