package dev.weir.server.memory;

import java.lang.System.Logger.Level;

/**
 * The memory that one connection is charged for. Its event loop sets the amount after each change; any thread may end
 * the charge.
 */
public final class ConnectionMemory {
    private static final System.Logger LOG = System.getLogger(ConnectionMemory.class.getName());

    private final MemoryBudget budget;
    private final MemoryBudget.Address address;
    private final Runnable close;
    private final long number;
    private volatile long charged;
    /** The part of the charge that lives as long as the connection. */
    private volatile long lasting;

    private boolean ended;

    ConnectionMemory(MemoryBudget budget, MemoryBudget.Address address, long number, Runnable close) {
        this.budget = budget;
        this.address = address;
        this.number = number;
        this.close = close;
    }

    /** Sets the bytes that the connection holds now, beyond the fixed cost of an open connection. */
    public void holds(long bytes) {
        holds(bytes, 0);
    }

    /** Sets the bytes that the connection holds now: those that it may yet free, and those that live as long as it does. */
    public void holds(long unfinished, long lasting) {
        this.lasting = lasting;
        long bytes = unfinished + lasting;
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

    /** The part of the charge that the connection may yet free. */
    long unfinished() {
        return Math.max(0, charged - lasting);
    }

    MemoryBudget.Address address() {
        return address;
    }

    /** The serial number of the connection; older ones have lower numbers. */
    long number() {
        return number;
    }

    /** Closes the connection. A failure to do so is not the failure of the connection that exceeded the budget. */
    void close() {
        try {
            close.run();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a connection over the memory budget could not be closed", e);
        }
    }
}
