package dev.weir.rules.internal.load;

import dev.weir.internal.runtime.Sha256;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * The rule files at one moment.
 *
 * @param problems the files that could not be read, and why
 * @param fingerprint equal for equal names, bytes and problems, and different otherwise
 */
public record RuleFilesSnapshot(List<RuleDocument> files, List<Diagnostic> problems, String fingerprint) {

    public static RuleFilesSnapshot of(List<RuleDocument> files, List<Diagnostic> problems) {
        MessageDigest digest = Sha256.digest();
        for (RuleDocument each : files) {
            digest.update((each.name() + "\0" + each.bytes().length + "\0").getBytes(StandardCharsets.UTF_8));
            digest.update(each.bytes());
        }
        problems.forEach(each -> digest.update(each.toString().getBytes(StandardCharsets.UTF_8)));
        return new RuleFilesSnapshot(
                List.copyOf(files), List.copyOf(problems), HexFormat.of().formatHex(digest.digest()));
    }

    public static RuleFilesSnapshot of(String name, byte[] bytes) {
        return of(List.of(new RuleDocument(name, bytes)), List.of());
    }
}
