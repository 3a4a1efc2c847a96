package dev.weir.simulation.store;

import dev.weir.internal.batching.BatchedCall;
import dev.weir.internal.batching.CheckGroup;
import java.util.ArrayList;
import java.util.List;

/** One call of the script. It carries the check objects themselves; nothing is serialized. */
final class SimulatedScriptCall extends BatchedCall {
    private static final int MOST_GROUPS = 1_024;

    private final List<CheckGroup> groups = new ArrayList<>();
    /** The time of the store's clock after which nothing is charged. */
    long expiryMicros;

    boolean expired;

    SimulatedScriptCall(int slot, boolean asking) {
        super(slot, asking);
    }

    @Override
    public boolean add(CheckGroup group) {
        return groups.size() < MOST_GROUPS && groups.add(group);
    }

    @Override
    public int groups() {
        return groups.size();
    }

    @Override
    public CheckGroup group(int index) {
        return groups.get(index);
    }

    @Override
    protected void done() {}
}
