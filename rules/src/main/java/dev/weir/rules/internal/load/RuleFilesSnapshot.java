package dev.weir.rules.internal.load;

import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The files of a source as they were at one moment.
 *
 * @param problems why something could not be read
 * @param fingerprint the same for the same names, bytes and problems, and for nothing else
 */
public record RuleFilesSnapshot(List<RuleDocument> files, List<Diagnostic> problems, String fingerprint) {

    public static RuleFilesSnapshot of(List<RuleDocument> files, List<Diagnostic> problems) {
        MessageDigest digest = sha256();
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

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
