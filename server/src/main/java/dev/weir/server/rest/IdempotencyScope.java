package dev.weir.server.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.runtime.Sha256;
import dev.weir.internal.store.Idempotency;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The owner of an idempotency key. Two requests have the same owner if their domain and all their identity attributes
 * are equal: {@code api_key}, {@code user_id}, {@code client_id}, {@code tenant}, and every attribute that a rule of
 * the domain counts by. The address counts only if the request has no other identity, because a client that retries may
 * have moved to another network.
 */
final class IdempotencyScope {
    private static final Set<String> ALWAYS = Set.of("api_key", "user_id", "client_id", "tenant");
    /** These say what is asked for and not who asks, so they do not replace the address. */
    private static final Set<String> NO_IDENTITY = Set.of(Attributes.ENDPOINT, Attributes.METHOD, Attributes.TIER);

    private IdempotencyScope() {}

    /** A hash of the owner, of {@value Idempotency#HASH} bytes, the same in every process with the same rules. */
    static byte[] of(Request request, RuleIndex rules) {
        Set<String> names = new TreeSet<>(rules.countedBy(request.domain()));
        names.addAll(ALWAYS);
        MessageDigest digest = Sha256.digest();
        add(digest, request.domain());
        boolean identified = false;
        for (String name : names) {
            if (!isAddress(name)) {
                boolean found = add(digest, request, name, rules);
                identified |= found && !NO_IDENTITY.contains(name);
            }
        }
        if (!identified && !add(digest, request, Attributes.IP, rules)) {
            add(digest, request, Attributes.REMOTE_ADDRESS, rules);
        }
        return Arrays.copyOf(digest.digest(), Idempotency.HASH);
    }

    private static boolean isAddress(String name) {
        return name.equals(Attributes.IP) || name.equals(Attributes.REMOTE_ADDRESS);
    }

    /** Adds the values of {@code name} in every descriptor, and returns whether there is one. */
    private static boolean add(MessageDigest digest, Request request, String name, RuleIndex rules) {
        boolean found = false;
        for (int i = 0; i < request.descriptors(); i++) {
            String value = request.value(i, name);
            if (value != null && !value.isEmpty()) {
                add(digest, isAddress(name) ? Attributes.IP : name);
                add(digest, String.valueOf(i));
                add(digest, normal(name, value, rules));
                found = true;
            }
        }
        return found;
    }

    private static String normal(String name, String value, RuleIndex rules) {
        if (name.equals(Attributes.ENDPOINT)) {
            return rules.endpointForm().of(value);
        }
        @Nullable String address = Attributes.isAddress(name) ? IpAddress.normalForm(value) : null;
        return address == null ? value : address;
    }

    /** Adds the length before the text, so that no two lists of texts have the same bytes. */
    private static void add(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        digest.update((bytes.length + ":").getBytes(UTF_8));
        digest.update(bytes);
    }
}
