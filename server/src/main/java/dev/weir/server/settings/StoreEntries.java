package dev.weir.server.settings;

import dev.weir.internal.model.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The entries of a store: {@code store}, {@code store_user}… for the default store, in every source of settings, and
 * {@code stores: { NAME: { url, user, … } }} in the file; of {@code regions}, the address is called {@code store}.
 */
enum StoreEntries {
    URL,
    USER,
    PASSWORD,
    PASSWORD_FILE,
    SENTINEL_USER,
    SENTINEL_PASSWORD,
    SENTINEL_PASSWORD_FILE;

    static final String PREFIX = "stores.";

    /** Before the name of a region, the name of its store; no store of {@code stores} can have it. */
    private static final String REGION = "region:";

    /** The name in the file. */
    String entryName() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isPath() {
        return this == PASSWORD_FILE || this == SENTINEL_PASSWORD_FILE;
    }

    /** The key of the entry among the given values. */
    String key(String store) {
        if (store.equals(Rule.DEFAULT_STORE)) {
            return this == URL ? "store" : "store_" + entryName();
        }
        return PREFIX + store + "." + entryName();
    }

    static String nameIn(String key) {
        return key.substring(PREFIX.length(), key.indexOf('.', PREFIX.length()));
    }

    /** The name of the store of {@code region}. */
    static String ofRegion(String region) {
        return REGION + region;
    }

    static boolean isOfRegion(String store) {
        return store.startsWith(REGION);
    }

    /** The key that stands for {@code region} itself, which may have no store. */
    static String regionKey(String region) {
        return PREFIX + ofRegion(region) + ".";
    }

    /** The regions among the given values. */
    static SortedSet<String> regions(Map<String, GivenValue> given) {
        return given.keySet().stream()
                .filter(each -> each.startsWith(PREFIX + REGION))
                .map(each -> nameIn(each).substring(REGION.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static List<String> names() {
        return Arrays.stream(values()).map(StoreEntries::entryName).toList();
    }
}
