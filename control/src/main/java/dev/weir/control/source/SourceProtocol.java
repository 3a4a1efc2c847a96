package dev.weir.control.source;

import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.List;

/** How one kind of source is followed. */
public interface SourceProtocol {

    /**
     * Connects to one of the source's servers and tells {@code intake} of all that it holds, now and whenever that changes.
     * Returns or throws when the connection is over; an interrupt ends it.
     *
     * @param attempt counts up: which of several servers to ask
     */
    void follow(int attempt, Intake intake) throws Exception;

    /** A document as it was taken, from a copy that was kept. */
    default RuleDocument document(String name, byte[] bytes) {
        return new RuleDocument(name, bytes);
    }

    /** Takes in what a source says. */
    interface Intake {
        /** Takes all that the source holds; returns what is wrong with it, nothing if it is in force now. */
        List<Diagnostic> take(SourceSnapshot documents);
    }
}
