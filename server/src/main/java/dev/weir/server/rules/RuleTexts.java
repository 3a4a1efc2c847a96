package dev.weir.server.rules;

import dev.weir.control.data.Json;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.runtime.Sha256;
import dev.weir.rules.internal.grammar.RuleWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** Rules as text that is equal for equal rules, wherever they were written. */
public final class RuleTexts {
    private static final int HASH_BYTES = 6;

    private RuleTexts() {}

    /** Each rule as JSON, without its position, by domain and name. */
    static Map<String, String> of(WrittenRules rules) {
        Map<String, String> texts = new TreeMap<>();
        for (Rule each : rules.rules()) {
            WeirRule written = rules.weirRule(each);
            texts.put(
                    each.toString(),
                    Json.text(out -> Json.write(
                            out, written == null ? RuleWriter.writeLimit(each) : RuleWriter.write(written))));
        }
        return texts;
    }

    /** A short hash, by which two servers can tell whether they have the same rules. */
    public static String hash(WrittenRules rules) {
        MessageDigest digest = Sha256.digest();
        of(rules).forEach((name, text) -> digest.update((name + '\n' + text + '\n').getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    }
}
