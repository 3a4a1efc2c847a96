package dev.weir.rules.internal.regions;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The regions that rules may use.
 *
 * @param known all regions; null if they are unknown and any name is accepted
 * @param own the region of this process; null if it is in none, or unknown
 * @param home the region whose Redis counts global limits; null if there is none, or unknown
 * @param homeStore the name of that Redis among the stores of this process
 * @param others the names, among these stores, of the Redises of other regions, by region; empty if they are not to be
 *     read
 */
public record RegionNames(
        @Nullable Set<String> known,
        @Nullable String own,
        @Nullable String home,
        String homeStore,
        Map<String, String> others) {
    /** Accepts any region, and counts all of them in the default store, as one process does that knows no settings. */
    public static final RegionNames ANY = new RegionNames(null, null, null, "", Map.of());

    /** No regions. */
    public static final RegionNames NONE = new RegionNames(Set.of(), null, null, "", Map.of());

    /** The regions of a process that reads the counts of no other region. */
    public RegionNames(@Nullable Set<String> known, @Nullable String own, @Nullable String home, String homeStore) {
        this(known, own, home, homeStore, Map.of());
    }
}
