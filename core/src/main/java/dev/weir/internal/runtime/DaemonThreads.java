package dev.weir.internal.runtime;

import java.util.concurrent.ThreadFactory;

/** Creates the threads of Weir: named daemons, which do not keep a process alive. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** Creates a thread without starting it. */
    public static Thread create(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Returns a factory of threads called {@code name}, for an executor of one thread. */
    public static ThreadFactory named(String name) {
        return work -> create(name, work);
    }
}
