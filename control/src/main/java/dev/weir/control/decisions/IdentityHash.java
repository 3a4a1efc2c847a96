package dev.weir.control.decisions;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.runtime.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the identities in recorded requests: the same caller is recognised, but not named. Addresses are hashed in the
 * form in which counters tell them apart by default: IPv4 whole, IPv6 by its first 64 bits. One thread at a time may use it.
 */
public final class IdentityHash {
    /** Attributes that are written as they are unless the settings say otherwise. */
    public static final List<String> PLAIN =
            List.of("endpoint", "method", "tier", "priority", "path", "generic_key", "header_match");

    private static final int HASH_BYTES = 16;

    private final @Nullable Mac mac;
    private final MessageDigest digest = Sha256.digest();

    /** Creates a hash with the key {@code secret}; null: without a key. */
    public IdentityHash(@Nullable String secret) {
        this.mac = secret == null ? null : mac(secret);
    }

    private static Mac mac(String secret) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    /** Whether {@code attribute} is written as it is: it is one of {@code plain}, or one of Weir's own. */
    public static boolean isPlain(String attribute, Set<String> plain) {
        return plain.contains(attribute) || attribute.startsWith("weir.");
    }

    /** The hash of {@code value} of {@code attribute}, 32 hexadecimal digits. */
    public String of(String attribute, String value) {
        if (Attributes.isAddress(attribute)) {
            IpAddress address = IpAddress.ofThread();
            if (address.read(value)) {
                if (!address.isIpv4()) {
                    address.mask(KeyBy.DEFAULT_IPV6_PREFIX);
                }
                return hex(address.toString());
            }
        }
        return hex(value);
    }

    /** The hash that values in {@code block} have; null if they have several. */
    public @Nullable String of(Cidr block) {
        int told = block.isIpv4() ? 128 : KeyBy.DEFAULT_IPV6_PREFIX;
        if (block.prefix() != told) {
            return null;
        }
        String text = block.text();
        int slash = text.indexOf('/');
        return of(Attributes.IP, slash < 0 ? text : text.substring(0, slash));
    }

    /** A text that tells hashes with different keys apart, and tells nothing of the key. */
    public String fingerprint() {
        return hex("the key of this hash");
    }

    private String hex(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(mac == null ? digest.digest(bytes) : mac.doFinal(bytes), 0, HASH_BYTES);
    }
}
