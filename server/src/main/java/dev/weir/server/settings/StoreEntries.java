package dev.weir.server.settings;

import dev.weir.internal.model.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What can be said of a store: {@code store}, {@code store_user}… of the default one, which every source knows, and
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

    /** As it is written in the file. */
    String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isPath() {
        return this == PASSWORD_FILE || this == SENTINEL_PASSWORD_FILE;
    }

    /** What it is known by among everything that was said. */
    String key(String store) {
        if (store.equals(Rule.DEFAULT_STORE)) {
            return this == URL ? "store" : "store_" + spelling();
        }
        return PREFIX + store + "." + spelling();
    }

    static String nameIn(String key) {
        return key.substring(PREFIX.length(), key.indexOf('.', PREFIX.length()));
    }

    static List<String> spellings() {
        return Arrays.stream(values()).map(StoreEntries::spelling).toList();
    }
}
