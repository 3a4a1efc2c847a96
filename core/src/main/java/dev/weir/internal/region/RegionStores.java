package dev.weir.internal.region;

import java.util.List;

/**
 * Where the regions of a shared limit count, by the indexes of their stores.
 *
 * @param own the store of the own region
 * @param names the other regions
 * @param others their stores, in the same order
 */
public record RegionStores(int own, List<String> names, List<Integer> others) {
    public RegionStores {
        names = List.copyOf(names);
        others = List.copyOf(others);
    }
}
