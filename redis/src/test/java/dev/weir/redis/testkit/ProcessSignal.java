package dev.weir.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Sends signals to another process by its id. */
public final class ProcessSignal {
    private ProcessSignal() {}

    /**
     * Sends SIGSTOP and returns once every thread has stopped: {@code kill} returns earlier, and a thread on another
     * core may still answer a request meanwhile.
     */
    public static void pause(long pid) {
        send("STOP", pid);
        while (!allThreadsStopped(pid)) {
            Thread.onSpinWait();
        }
    }

    public static void resume(long pid) {
        send("CONT", pid);
    }

    static void send(String name, long pid) {
        try {
            int result = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (result != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid + ": " + result);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean allThreadsStopped(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.allMatch(ProcessSignal::stopped);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the state of a thread: the letter after its name, which stands in parentheses. */
    private static boolean stopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (NoSuchFileException e) {
            return true; // the thread ended meanwhile
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
