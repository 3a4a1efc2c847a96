package dev.weir.control.source;

import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.Arrays;
import java.util.List;

/**
 * All that a source held at one moment.
 *
 * @param problems what makes it no rules at all, whatever the documents say
 * @param version what the source calls the moment
 */
public record SourceSnapshot(List<RuleDocument> documents, List<Diagnostic> problems, String version) {
    public SourceSnapshot {
        documents = List.copyOf(documents);
        problems = List.copyOf(problems);
    }

    /** Whether the same stands in them, at whatever moment. */
    boolean sayTheSameAs(SourceSnapshot other) {
        if (documents.size() != other.documents.size() || !problems.equals(other.problems)) {
            return false;
        }
        for (int i = 0; i < documents.size(); i++) {
            RuleDocument one = documents.get(i);
            RuleDocument two = other.documents.get(i);
            if (!one.name().equals(two.name()) || !Arrays.equals(one.bytes(), two.bytes())) {
                return false;
            }
        }
        return true;
    }
}
