package dev.weir.rules.internal.grammar;

import dev.weir.Algorithm;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.runtime.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * What a rule's counters are known by. Never its place in the file and never its numbers, so that reordering a file or raising a
 * limit keeps what was counted.
 */
final class RuleIdentity {
    private static final HexFormat HEX = HexFormat.of();
    private static final int HASH_BYTES = 16;

    private RuleIdentity() {}

    /**
     * Of an unnamed rule in Weir's spelling: a hash of domain, match, key and algorithm. It begins with {@code #}, as no name
     * does.
     */
    static String unnamed(String domain, List<MatchClause> match, KeyBy key, Algorithm algorithm) {
        MessageDigest digest = Sha256.digest();
        text(digest, domain);
        List<MatchClause> clauses = match.stream()
                .sorted((a, b) -> a.attribute().compareTo(b.attribute()))
                .toList();
        count(digest, clauses.size());
        for (MatchClause clause : clauses) {
            text(digest, clause.attribute());
            texts(digest, clause.texts().stream().sorted().distinct().toList());
        }
        count(digest, key.parts().size());
        key.parts().forEach(part -> texts(digest, part));
        count(digest, key.ipv6Prefix());
        text(digest, algorithm.spelling());
        return "#" + HEX.formatHex(digest.digest(), 0, HASH_BYTES);
    }

    /** Of a rule in Envoy's spelling: its path of keys and values, its unit and its algorithm, so that no two paths collide. */
    static String envoy(String path, String unit, Algorithm algorithm) {
        return path + " " + unit + " " + algorithm.spelling();
    }

    /** One step of such a path; what separates steps is escaped in them. */
    static String step(String key, String value) {
        return value.isEmpty() ? escape(key) : escape(key) + "=" + escape(value);
    }

    private static String escape(String text) {
        return text.replace("%", "%25").replace("/", "%2F").replace("=", "%3D").replace(" ", "%20");
    }

    private static void texts(MessageDigest digest, List<String> texts) {
        count(digest, texts.size());
        texts.forEach(each -> text(digest, each));
    }

    /** Lengths go in first, so that no two lists of texts read the same. */
    private static void text(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        count(digest, bytes.length);
        digest.update(bytes);
    }

    private static void count(MessageDigest digest, int count) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            digest.update((byte) (count >>> shift));
        }
    }
}
