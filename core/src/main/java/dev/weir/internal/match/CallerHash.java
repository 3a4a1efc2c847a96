package dev.weir.internal.match;

import dev.weir.Request;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.match.pattern.Attributes;
import java.util.List;

/** A hash of who sends a request: of its identity attributes, or else of its address. */
public final class CallerHash {
    private static final List<String> IDENTITY = List.of("api_key", "user_id", "client_id", "tenant");

    private CallerHash() {}

    /** A hash that only this process knows, so that nobody can choose names that share the place of another caller. */
    public static int seeded(Request request) {
        CounterKeyHash hash = new CounterKeyHash();
        boolean found = false;
        for (int i = 0; i < IDENTITY.size(); i++) {
            found |= add(hash, request, IDENTITY.get(i));
        }
        if (!found) {
            add(hash, request, Attributes.IP);
            add(hash, request, Attributes.REMOTE_ADDRESS);
        }
        return (int) hash.end().key0();
    }

    private static boolean add(CounterKeyHash hash, Request request, String name) {
        boolean found = false;
        for (int i = 0; i < request.descriptors(); i++) {
            String value = request.value(i, name);
            if (value != null && !value.isEmpty()) {
                hash.add(name).add(value);
                found = true;
            }
        }
        return found;
    }

    /**
     * The hash of the caller in every process that knows {@code seed}; {@code seed} itself if the request does not say
     * who sends it.
     */
    public static int of(Request request, int seed) {
        int hash = seed;
        boolean found = false;
        for (int i = 0; i < IDENTITY.size(); i++) {
            int next = add(hash, request, IDENTITY.get(i));
            found |= next != hash;
            hash = next;
        }
        if (!found) {
            hash = add(hash, request, Attributes.IP);
            hash = add(hash, request, Attributes.REMOTE_ADDRESS);
        }
        return hash;
    }

    private static int add(int seed, Request request, String name) {
        int hash = seed;
        for (int i = 0; i < request.descriptors(); i++) {
            String value = request.value(i, name);
            if (value != null && !value.isEmpty()) {
                hash = 31 * (31 * hash + name.hashCode()) + value.hashCode() * 0x9E37_79B1;
            }
        }
        return hash;
    }
}
