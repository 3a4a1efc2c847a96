package dev.weir.server.settings;

import dev.weir.internal.model.Rule;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.settings.RedisAddress;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds the settings of the stores: addresses and credentials. No message repeats a password. */
final class StoresReader {
    static final String MEMORY = "memory";
    private static final String EXPECTED = "memory, redis://host:port, redis-cluster://h1:p1,h2:p2 or"
            + " redis-sentinel://name@h1:p1,h2:p2; rediss… for TLS";

    private static final List<StoreEntries> SENTINELS =
            List.of(StoreEntries.SENTINEL_USER, StoreEntries.SENTINEL_PASSWORD, StoreEntries.SENTINEL_PASSWORD_FILE);

    private final Map<String, GivenValue> given;
    private final List<String> problems;

    StoresReader(Map<String, GivenValue> given, List<String> problems) {
        this.given = given;
        this.problems = problems;
    }

    /**
     * The shared stores by name, with the default one unless it is memory; {@code rest} adds the settings that they
     * share.
     */
    Map<String, RedisSettings> read(UnaryOperator<RedisSettings> rest, Settings.Regions regions) {
        Map<String, RedisSettings> stores = new TreeMap<>();
        useStoreOf(regions.own());
        add(Rule.DEFAULT_STORE, rest, stores);
        names().forEach(name -> add(name, rest, stores));
        addHome(regions, rest, stores);
        regions.others().values().forEach(each -> addFar(each, rest, stores));
        return stores;
    }

    /** Adds the store of the home region, with a connection of its own also where it is the default store. */
    private void addHome(
            Settings.Regions regions, UnaryOperator<RedisSettings> rest, Map<String, RedisSettings> stores) {
        RedisSettings here = stores.get(Rule.DEFAULT_STORE);
        if (regions.isHome() && here != null) {
            stores.put(regions.homeStore(), here);
        } else if (regions.home() != null && !regions.isHome()) {
            addFar(regions.homeStore(), rest, stores);
        }
    }

    private void addFar(String name, UnaryOperator<RedisSettings> rest, Map<String, RedisSettings> stores) {
        if (!stores.containsKey(name)) {
            add(name, rest, stores);
            stores.computeIfPresent(
                    name, (key, store) -> store.withDeadline(StoreSettings.RegionSettings.FAR_DEADLINE));
        }
    }

    /** Makes the store of this region the default one. */
    private void useStoreOf(@Nullable String region) {
        for (StoreEntries each : StoreEntries.values()) {
            GivenValue value = region == null ? null : given.get(each.key(StoreEntries.ofRegion(region)));
            if (value != null) {
                given.putIfAbsent(each.key(Rule.DEFAULT_STORE), value);
            }
        }
    }

    /** The names of the stores that rules may name, besides the default one. */
    Set<String> names() {
        return given.keySet().stream()
                .filter(each -> each.startsWith(StoreEntries.PREFIX))
                .map(StoreEntries::nameIn)
                .filter(each -> !StoreEntries.isOfRegion(each))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void add(String name, UnaryOperator<RedisSettings> rest, Map<String, RedisSettings> stores) {
        GivenValue url = given.get(StoreEntries.URL.key(name));
        if (url == null) {
            unused(name);
            return;
        }
        if (name.equals(Rule.DEFAULT_STORE) && url.text().equals(MEMORY)) {
            return;
        }
        RedisSettings settings = settings(url, name);
        if (settings == null) {
            return;
        }
        RedisAddress address = settings.address();
        Supplier<RedisCredentials> credentials = credentials(
                name, address.credentials(), StoreEntries.USER, StoreEntries.PASSWORD, StoreEntries.PASSWORD_FILE);
        Supplier<RedisCredentials> sentinels = sentinelCredentials(name, address);
        if (credentials != null && sentinels != null) {
            stores.put(name, rest.apply(settings.withCredentials(credentials).withSentinelCredentials(sentinels)));
        }
    }

    private @Nullable Supplier<RedisCredentials> sentinelCredentials(String name, RedisAddress address) {
        if (address.kind() != RedisAddress.Kind.SENTINEL) {
            for (StoreEntries each : SENTINELS) {
                GivenValue value = given.get(each.key(name));
                if (value != null) {
                    problems.add(value.where() + ": the store has no sentinels (expected: redis-sentinel://…)");
                }
            }
        }
        return credentials(name, RedisCredentials.NONE, SENTINELS.get(0), SENTINELS.get(1), SENTINELS.get(2));
    }

    /** Reports entries of a store without an address: whoever gives a password expects it to be used. */
    private void unused(String name) {
        for (StoreEntries each : StoreEntries.values()) {
            GivenValue value = given.get(each.key(name));
            if (value != null) {
                problems.add(value.where() + ": the address of the store is missing (expected: "
                        + (name.equals(Rule.DEFAULT_STORE) ? "store" : "url") + ", too)");
            }
        }
    }

    private @Nullable RedisSettings settings(GivenValue url, String name) {
        if (!url.text().contains("://")) {
            String shown = url.text().indexOf('@') < 0 ? "\"" + url.text() + "\" " : "";
            String expected = name.equals(Rule.DEFAULT_STORE) ? EXPECTED : EXPECTED.substring("memory, ".length());
            problems.add(url.where() + ": " + shown + "(expected: " + expected + ")");
            return null;
        }
        try {
            return RedisSettings.of(url.text());
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            problems.add(url.where() + ": "
                    + (message.startsWith("store: ") ? message.substring("store: ".length()) : message));
            return null;
        }
    }

    private @Nullable Supplier<RedisCredentials> credentials(
            String store, RedisCredentials inAddress, StoreEntries name, StoreEntries secret, StoreEntries secretFile) {
        GivenValue user = given.get(name.key(store));
        GivenValue password = given.get(secret.key(store));
        GivenValue file = given.get(secretFile.key(store));
        String userName = user == null ? inAddress.user() : user.text();
        if (password != null && file != null) {
            problems.add(file.where() + ": conflicts with " + password.where() + " (expected: one of them)");
            return null;
        }
        if (file == null) {
            RedisCredentials fixed =
                    new RedisCredentials(userName, password == null ? inAddress.password() : password.text());
            return () -> fixed;
        }
        Path path = SettingParsers.path(file.text());
        try {
            if (path == null) {
                throw new IOException("not a path");
            }
            PasswordFile read = new PasswordFile(path);
            return () -> new RedisCredentials(userName, read.get());
        } catch (IOException e) {
            problems.add(file.where() + ": \"" + file.text() + "\" cannot be read: " + FileErrors.why(e));
            return null;
        }
    }
}
