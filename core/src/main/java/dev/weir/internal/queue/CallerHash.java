package dev.weir.internal.queue;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A hash of who sends a request: of its identity attributes, or else of its address. It is seeded, so that nobody can
 * choose names that share the place of another caller.
 */
final class CallerHash {
    private static final List<String> IDENTITY = List.of("api_key", "user_id", "client_id", "tenant");
    private static final int SEED = ThreadLocalRandom.current().nextInt();

    private CallerHash() {}

    static int of(Request request) {
        int hash = SEED;
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
        hash *= 0x85EB_CA6B;
        return hash ^ hash >>> 16;
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
