package dev.weir.simulation.store;

import dev.weir.coalesce.Call;
import dev.weir.coalesce.Group;
import java.util.ArrayList;
import java.util.List;

/** One call of the script. It carries the checks themselves: nothing is written into bytes here. */
final class StoreCall extends Call {
    private static final int MOST_GROUPS = 1_024;

    private final List<Group> groups = new ArrayList<>();
    /** Past this moment of the store's clock nothing is charged. */
    long expiryMicros;

    boolean expired;

    StoreCall(int slot, boolean asking) {
        super(slot, asking);
    }

    @Override
    public boolean add(Group group) {
        return groups.size() < MOST_GROUPS && groups.add(group);
    }

    @Override
    public int groups() {
        return groups.size();
    }

    @Override
    public Group group(int index) {
        return groups.get(index);
    }

    @Override
    protected void done() {}
}
