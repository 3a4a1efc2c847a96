package dev.weir.control.source;

import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.Arrays;
import java.util.List;

/**
 * The documents of a source at one moment.
 *
 * @param problems errors that make the whole snapshot unusable, whatever the documents say
 * @param version the source's name for that moment
 */
public record SourceSnapshot(List<RuleDocument> documents, List<Diagnostic> problems, String version) {
    public SourceSnapshot {
        documents = List.copyOf(documents);
        problems = List.copyOf(problems);
    }

    /** Returns whether both have the same documents and problems; versions are ignored. */
    boolean hasSameContentAs(SourceSnapshot other) {
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
