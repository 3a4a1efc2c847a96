package dev.weir.internal.runtime;

import java.util.concurrent.ThreadFactory;

/** Makes the threads of Weir: named, and never a reason for a process to stay. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** A thread that is yet to be started. */
    public static Thread create(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Makes threads called {@code name}, for an executor of one thread. */
    public static ThreadFactory named(String name) {
        return work -> create(name, work);
    }
}
