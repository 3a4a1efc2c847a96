package dev.weir.rules.internal.grammar;

import dev.weir.Algorithm;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.Rule;
import dev.weir.internal.runtime.Sha256;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * The identity of a rule, by which its counters are found. It includes neither its position in the file nor its
 * numbers, so that reordering a file or raising a limit keeps the counts.
 */
final class RuleIdentity {
    private static final HexFormat HEX = HexFormat.of();
    private static final int HASH_BYTES = 16;

    private RuleIdentity() {}

    /**
     * Returns the identity of an unnamed rule in Weir's format: a hash of domain, match, key and algorithm, and of
     * {@code endpoint_case: ignore} and {@code counts} where they are given. It begins with {@code #}, which no name does.
     */
    static String unnamed(String domain, ParsedRule rule) {
        KeyBy key = rule.key();
        MessageDigest digest = Sha256.digest();
        text(digest, domain);
        List<MatchClause> clauses = rule.match().stream()
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
        text(digest, rule.limit().algorithm().text());
        if (rule.behaviour().ignoresCase()) {
            text(digest, "endpoint_case: ignore");
        }
        if (!rule.pricing().counts().equals(Rule.REQUESTS)) {
            text(digest, "counts: " + rule.pricing().counts());
        }
        return "#" + HEX.formatHex(digest.digest(), 0, HASH_BYTES);
    }

    /**
     * Returns the identity of a rule in Envoy's format: its path of keys and values, its unit and its algorithm. No two
     * paths collide.
     */
    static String envoy(String path, String unit, Algorithm algorithm) {
        return path + " " + unit + " " + algorithm.text();
    }

    /** Returns one step of such a path; separators in it are escaped. */
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

    /** Adds the length before the text, so that no two lists of texts have the same bytes. */
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
