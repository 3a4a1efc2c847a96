package dev.weir.internal.limiter.check;

import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The shared stores by the names that rules use, each with an index. */
public final class SharedStores {
    private static final SharedStores NONE = new SharedStores(Map.of());

    private final List<String> names;
    private final List<SharedStore> stores;

    private SharedStores(Map<String, ? extends SharedStore> byName) {
        this.names = List.copyOf(byName.keySet());
        List<SharedStore> inOrder = new ArrayList<>();
        names.forEach(name -> inOrder.add(byName.get(name)));
        this.stores = List.copyOf(inOrder);
    }

    /** No shared stores: everything is counted in this process. */
    public static SharedStores none() {
        return NONE;
    }

    /**
     * These stores; without a {@linkplain Rule#DEFAULT_STORE default} among them, the default is the memory of this
     * process.
     */
    public static SharedStores of(Map<String, ? extends SharedStore> byName) {
        return new SharedStores(byName);
    }

    /** One store for every rule. */
    public static SharedStores of(SharedStore store) {
        return of(Map.of(Rule.DEFAULT_STORE, store));
    }

    public boolean isEmpty() {
        return stores.isEmpty();
    }

    public int size() {
        return stores.size();
    }

    /**
     * The index of the store called {@code name}, or {@link Check#LOCAL}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public int place(String name) {
        int index = names.indexOf(name);
        if (index < 0 && !name.equals(Rule.DEFAULT_STORE)) {
            String expected = names.isEmpty() ? "none, for no store is shared" : "one of " + names;
            throw new IllegalArgumentException("store: " + name + " (expected: " + expected + ")");
        }
        return index < 0 ? Check.LOCAL : index;
    }

    /** The name of the store at {@code index}. */
    public String name(int index) {
        return names.get(index);
    }

    /** The index of the store that counts limits per second which requests bring, or {@link Check#LOCAL}. */
    public int perSecondPlace() {
        return place(names.contains(Rule.PER_SECOND_STORE) ? Rule.PER_SECOND_STORE : Rule.DEFAULT_STORE);
    }

    /** The store at an {@linkplain dev.weir.internal.store.Check#store index}. */
    public SharedStore at(int index) {
        return stores.get(index);
    }
}
