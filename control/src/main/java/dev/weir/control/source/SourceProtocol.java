package dev.weir.control.source;

import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.List;

/** The protocol of one kind of source. */
public interface SourceProtocol {

    /**
     * Connects to one of the source's servers, and passes all documents to {@code listener}, now and after every
     * change. Returns or throws when the connection has ended; an interrupt ends it.
     *
     * @param attempt the number of the attempt, which selects one of several servers
     */
    void follow(int attempt, SnapshotListener listener) throws Exception;

    /** Recreates a document from a copy. */
    default RuleDocument document(String name, byte[] bytes) {
        return new RuleDocument(name, bytes);
    }

    /** Receives what a source holds. */
    interface SnapshotListener {
        /** Receives all documents of the source. Returns their errors; empty if they are in force now. */
        List<Diagnostic> accept(SourceSnapshot documents);
    }
}
