package dev.weir.server.memory;

/**
 * What one connection is charged for. Its event loop sets the amount, whenever it has changed; any thread may end it.
 */
public final class ConnectionMemory {
    private final MemoryBudget budget;
    private final MemoryBudget.Address address;
    private final Runnable close;
    private final long number;
    private volatile long charged;
    private boolean ended;

    ConnectionMemory(MemoryBudget budget, MemoryBudget.Address address, long number, Runnable close) {
        this.budget = budget;
        this.address = address;
        this.number = number;
        this.close = close;
    }

    /** The connection holds {@code bytes} now, beyond what every open connection costs. */
    public void holds(long bytes) {
        long more = bytes - charged;
        if (more != 0 && charge(bytes, more) && more > 0) {
            budget.check(this);
        }
    }

    private synchronized boolean charge(long bytes, long more) {
        if (!ended) {
            charged = bytes;
            budget.add(address, more);
        }
        return !ended;
    }

    /** The connection is closed, or about to be: it is no longer charged. Returns what it held, or -1 if it had ended before. */
    synchronized long end() {
        if (ended) {
            return -1;
        }
        long held = charged;
        ended = true;
        charged = 0;
        budget.add(address, -held);
        return held;
    }

    /** The connection has closed. */
    public void closed() {
        var unused = end();
        budget.forget(this);
    }

    long charged() {
        return charged;
    }

    MemoryBudget.Address address() {
        return address;
    }

    /** Lower for connections that are older. */
    long number() {
        return number;
    }

    void close() {
        close.run();
    }
}
