package dev.weir.internal.limiter.check;

import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The shared stores by the names that rules know them by, each in a place of its own. */
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

    /** No store is shared: everything is counted in this process. */
    public static SharedStores none() {
        return NONE;
    }

    /** These stores; if the {@linkplain Rule#DEFAULT_STORE default} one is not among them, it is that of this process. */
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
     * The place of the store called {@code name}, or {@link Check#LOCAL}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public int place(String name) {
        int place = names.indexOf(name);
        if (place < 0 && !name.equals(Rule.DEFAULT_STORE)) {
            String expected = names.isEmpty() ? "none, for no store is shared" : "one of " + names;
            throw new IllegalArgumentException("store: " + name + " (expected: " + expected + ")");
        }
        return place < 0 ? Check.LOCAL : place;
    }

    /** The store at a {@linkplain dev.weir.internal.store.Check#store place}. */
    public SharedStore at(int place) {
        return stores.get(place);
    }
}
