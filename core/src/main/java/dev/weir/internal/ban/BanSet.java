package dev.weir.internal.ban;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.Ban;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The entries of one source, indexed by attribute. Immutable; building it takes time, so not on an event loop. */
public final class BanSet {
    private final Map<String, BannedValues> everywhere;
    private final Map<String, Map<String, BannedValues>> byDomain = new HashMap<>();
    private final boolean automatic;
    private final int size;

    private BanSet(Map<String, BannedValues> everywhere, boolean automatic, int size) {
        this.everywhere = everywhere;
        this.automatic = automatic;
        this.size = size;
    }

    /**
     * Indexes {@code bans}.
     *
     * @param automatic whether rules made them all, by {@code escalate}; else people made them all
     * @throws IllegalArgumentException if the value of an address attribute is neither an address nor a block
     */
    public static BanSet of(Collection<Ban> bans, boolean automatic) {
        Map<String, Map<String, List<Ban>>> grouped = new HashMap<>();
        for (Ban each : bans) {
            grouped.computeIfAbsent(each.domain(), domain -> new HashMap<>())
                    .computeIfAbsent(oneName(each.attribute()), attribute -> new ArrayList<>())
                    .add(each);
        }
        BanSet set = new BanSet(indexed(grouped.getOrDefault("", Map.of())), automatic, bans.size());
        grouped.forEach((domain, byAttribute) -> {
            if (!domain.isEmpty()) {
                set.byDomain.put(domain, indexed(byAttribute));
            }
        });
        return set;
    }

    /** Indexes the addresses of a list, which all belong to {@code owner}. */
    public static BanSet ofAddresses(Ban owner, AddressList list) {
        Map<String, BannedValues> byAttribute = new HashMap<>();
        put(byAttribute, oneName(owner.attribute()), new BannedValues(owner, list));
        return new BanSet(byAttribute, false, list.size());
    }

    private static Map<String, BannedValues> indexed(Map<String, List<Ban>> byAttribute) {
        Map<String, BannedValues> indexed = new HashMap<>();
        byAttribute.forEach((attribute, bans) -> put(indexed, attribute, new BannedValues(attribute, bans)));
        return indexed;
    }

    private static void put(Map<String, BannedValues> into, String attribute, BannedValues values) {
        into.put(attribute, values);
        if (attribute.equals(Attributes.IP)) {
            into.put(Attributes.REMOTE_ADDRESS, values);
        }
    }

    /** The address of a caller has two names. */
    private static String oneName(String attribute) {
        return attribute.equals(Attributes.REMOTE_ADDRESS) ? Attributes.IP : attribute;
    }

    /** The number of entries. */
    public int size() {
        return size;
    }

    boolean automatic() {
        return automatic;
    }

    /** Returns the entry of {@code request} that holds, if it takes precedence over {@code found}; else {@code found}. */
    @Nullable
    Ban find(Request request, int entries, long nowMicros, @Nullable Ban found) {
        Map<String, BannedValues> here = byDomain.isEmpty() ? null : byDomain.get(request.domain());
        Ban best = found;
        for (int i = 0; i < entries; i++) {
            String name = request.key(i);
            String value = request.value(i);
            best = find(name, value, here, nowMicros, best);
            if (name.equals(Attributes.CLIENT_ID)) {
                best = findClient(value, request, entries, here, nowMicros, best);
            }
        }
        return best;
    }

    /** As in {@code key_by}, a {@code client_id} stands for those identities that the request does not name. */
    private @Nullable Ban findClient(
            String value,
            Request request,
            int entries,
            @Nullable Map<String, BannedValues> here,
            long nowMicros,
            @Nullable Ban found) {
        Ban best = found;
        for (String each : Attributes.OF_CLIENT) {
            boolean listed = everywhere.containsKey(each) || (here != null && here.containsKey(each));
            if (listed && !names(request, entries, each)) {
                best = find(each, value, here, nowMicros, best);
            }
        }
        return best;
    }

    private static boolean names(Request request, int entries, String attribute) {
        for (int i = 0; i < entries; i++) {
            if (oneName(request.key(i)).equals(attribute) && !request.value(i).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Ban find(
            String name, String value, @Nullable Map<String, BannedValues> here, long nowMicros, @Nullable Ban found) {
        BannedValues values = everywhere.get(name);
        Ban best = values == null ? found : values.find(value, nowMicros, found);
        BannedValues more = here == null ? null : here.get(name);
        return more == null ? best : more.find(value, nowMicros, best);
    }
}
