package dev.weir.server.settings;

import dev.weir.internal.model.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The entries of a store: {@code store}, {@code store_user}… for the default store, in every source of settings, and
 * {@code stores: { NAME: { url, user, … } }} in the file.
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

    static List<String> names() {
        return Arrays.stream(values()).map(StoreEntries::entryName).toList();
    }
}
