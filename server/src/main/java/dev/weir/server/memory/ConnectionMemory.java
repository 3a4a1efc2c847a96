package dev.weir.server.memory;

/**
 * The memory that one connection is charged for. Its event loop sets the amount after each change; any thread may end
 * the charge.
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

    /** Sets the bytes that the connection holds now, beyond the fixed cost of an open connection. */
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

    /** Ends the charge of a connection that is closed or about to be. Returns the bytes that it held; -1 if already ended. */
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

    /** Ends the charge and removes the connection from the budget, after the connection was closed. */
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

    /** The serial number of the connection; older ones have lower numbers. */
    long number() {
        return number;
    }

    void close() {
        close.run();
    }
}
