package dev.weir.internal.ruleset;

import dev.weir.internal.match.keyby.KeyBy;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The message in which a server tells its rules to {@code weir-remote}: a protobuf message whose one field is a repeated text.
 * The texts are the number of domains, the domains, and then the texts of one rule after the other.
 */
public final class OutlineMessage {
    private static final int TEXT = 1 << 3 | 2;
    private static final int TEXTS_OF_RULE = 6;
    private static final String BETWEEN = "\n";
    private static final String OR = "\t";

    private OutlineMessage() {}

    /** Writes the outlines of {@code rules}. */
    public static byte[] write(OutlinedRules rules) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> domains = rules.domains();
        text(out, String.valueOf(domains.size()));
        domains.forEach(each -> text(out, each));
        for (RuleOutline each : rules.outlines()) {
            text(out, each.domain());
            text(out, each.name());
            text(out, each.limit());
            text(out, each.attributes() ? "weir" : "envoy");
            text(out, String.join(BETWEEN, each.match()));
            text(
                    out,
                    String.join(
                            BETWEEN,
                            each.keyBy().parts().stream()
                                    .map(part -> String.join(OR, part))
                                    .toList()));
        }
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write(TEXT);
        int rest = bytes.length;
        while (rest > 0x7F) {
            out.write((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
        out.writeBytes(bytes);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static ServedRules read(byte[] message) {
        List<String> texts = texts(message);
        int domains = texts.isEmpty() ? -1 : Integer.parseInt(texts.get(0));
        int first = 1 + domains;
        if (domains < 0 || first > texts.size() || (texts.size() - first) % TEXTS_OF_RULE != 0) {
            throw new IllegalArgumentException(texts.size() + " texts with " + domains + " domains");
        }
        List<RuleOutline> outlines = new ArrayList<>();
        for (int i = first; i < texts.size(); i += TEXTS_OF_RULE) {
            outlines.add(new RuleOutline(
                    texts.get(i),
                    texts.get(i + 1),
                    texts.get(i + 2),
                    texts.get(i + 3).equals("weir"),
                    split(texts.get(i + 4), BETWEEN),
                    new KeyBy(split(texts.get(i + 5), BETWEEN).stream()
                            .map(part -> split(part, OR))
                            .toList())));
        }
        return new ServedRules(texts.subList(1, first), outlines);
    }

    private static List<String> split(String text, String by) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(by, -1));
    }

    private static List<String> texts(byte[] message) {
        List<String> texts = new ArrayList<>();
        int at = 0;
        while (at < message.length) {
            if (message[at++] != TEXT) {
                throw new IllegalArgumentException("an unknown field");
            }
            long length = 0;
            int shift = 0;
            byte piece;
            do {
                if (at == message.length || shift > 28) {
                    throw new IllegalArgumentException("a length that does not end");
                }
                piece = message[at++];
                length |= (long) (piece & 0x7F) << shift;
                shift += 7;
            } while (piece < 0);
            if (length > message.length - at) {
                throw new IllegalArgumentException("a length beyond the end");
            }
            texts.add(new String(message, at, (int) length, StandardCharsets.UTF_8));
            at += (int) length;
        }
        return texts;
    }
}
