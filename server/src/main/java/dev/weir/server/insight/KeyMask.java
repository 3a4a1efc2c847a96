package dev.weir.server.insight;

import dev.weir.server.topkeys.Denial;
import dev.weir.server.topkeys.TopKey;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Shows the keys of callers to those who may see them, and to others a hash: the same for the same key until this server
 * restarts, and of no use for guessing the key, because its secret never leaves this process.
 */
final class KeyMask {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHOWN_BYTES = 8;

    private final SecretKeySpec secret;

    KeyMask() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        secret = new SecretKeySpec(random, ALGORITHM);
    }

    /** Adds the key of {@code top}. */
    JsonObject key(TopKey top, boolean plain, JsonObject into) {
        put(top.text(), top.bucket(), plain, into);
        if (plain) {
            var attributes = top.attributes();
            into.put("attributes", attributes == null ? null : new JsonObject(new LinkedHashMap<>(attributes)));
        }
        return into;
    }

    /** Adds the key, the attributes and the explanation of {@code denial}. */
    JsonObject key(Denial denial, boolean plain, JsonObject into) {
        put(denial.key(), denial.bucket(), plain, into);
        if (plain) {
            into.put("attributes", new JsonObject(new LinkedHashMap<>(denial.attributes())));
        }
        String sentence = denial.sentence();
        return into.put("sentence", plain || denial.key().isEmpty() ? sentence : sentence.replace(denial.key(), "…"));
    }

    private void put(String text, String bucket, boolean plain, JsonObject into) {
        boolean hashed = !plain && !text.isEmpty();
        into.put("key", hashed ? hash(bucket + '\n' + text) : text).put("hashed", hashed);
    }

    private String hash(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            byte[] hash = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return "#" + HexFormat.of().formatHex(hash, 0, SHOWN_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
