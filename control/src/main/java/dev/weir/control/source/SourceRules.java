package dev.weir.control.source;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.Severity;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one source. The latest version that loads stays in force, whatever happens to the source. A snapshot
 * comes into force as a whole, so that nobody sees part of a change.
 */
public final class SourceRules implements SourceProtocol.SnapshotListener {
    private static final System.Logger LOG = System.getLogger(SourceRules.class.getName());
    private static final int SHOWN = 20;

    private final String label;
    private final SourceProtocol protocol;
    private final LoadOptions options;
    private final SourceCopyWriter copyWriter;
    private final CountDownLatch received = new CountDownLatch(1);
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong losses = new AtomicLong();
    private final AtomicLong mistakes = new AtomicLong();

    private @Nullable SourceSnapshot last;
    private List<Diagnostic> lastErrors = List.of();
    private boolean disconnectLogged;
    private volatile WrittenRules rules = WrittenRules.empty();
    private volatile SourceStatus status;
    private volatile Consumer<WrittenRules> listener = next -> {};

    SourceRules(String label, SourceProtocol protocol, LoadOptions options, SourceCopyWriter copyWriter) {
        this.label = label;
        this.protocol = protocol;
        this.options = options;
        this.copyWriter = copyWriter;
        this.status = new SourceStatus(label, false, true, "", "", null, 0, 0);
    }

    /** Returns the name of the source, which is also in its rules' {@code source}. */
    public String label() {
        return label;
    }

    /** Returns the rules in force; empty before the first snapshot. */
    public WrittenRules rules() {
        return rules;
    }

    public SourceStatus status() {
        return status;
    }

    /** Returns how many times other rules came into force. */
    public long changes() {
        return changes.get();
    }

    /** Returns how many times the source could not be reached or the connection was lost. */
    public long losses() {
        return losses.get();
    }

    /** Returns how many snapshots could not come into force. */
    public long mistakes() {
        return mistakes.get();
    }

    /**
     * Sets the listener that puts rules in force, on the thread that received them. If it throws, the rules do not come
     * into force, and the source is notified.
     */
    public void onRules(Consumer<WrittenRules> listener) {
        this.listener = listener;
    }

    @Override
    public List<Diagnostic> accept(SourceSnapshot documents) {
        List<Diagnostic> errors = apply(documents);
        received.countDown();
        return errors;
    }

    private synchronized List<Diagnostic> apply(SourceSnapshot documents) {
        connected();
        if (last != null && last.hasSameContentAs(documents)) {
            return lastErrors;
        }
        last = documents;
        lastErrors = putInForce(documents);
        if (lastErrors.isEmpty()) {
            copyWriter.keep(documents);
        } else {
            mistakes.incrementAndGet();
            status = with(true, false, lastErrors.get(0).toString());
            LOG.log(
                    Level.ERROR,
                    "the rules of " + label + " do not load; the previous rules stay in force:\n" + lines(lastErrors));
        }
        return lastErrors;
    }

    /** Puts {@code documents} in force; returns the errors if that fails. */
    private List<Diagnostic> putInForce(SourceSnapshot documents) {
        if (!documents.problems().isEmpty()) {
            return documents.problems();
        }
        LoadResult loaded = RuleLoader.load(documents.documents(), options);
        WrittenRules next = loaded.rules();
        if (next == null) {
            return loaded.errors();
        }
        try {
            listener.accept(next);
        } catch (RuntimeException e) {
            return List.of(new Diagnostic(label, 0, 0, Severity.ERROR, "cannot be put in force: " + e, ""));
        }
        rules = next;
        changes.incrementAndGet();
        status = new SourceStatus(
                label,
                status.connected(),
                true,
                "",
                documents.version(),
                Instant.now(),
                documents.documents().size(),
                next.rules().size());
        if (!loaded.warnings().isEmpty()) {
            LOG.log(Level.WARNING, "warnings about the rules of " + label + ":\n" + lines(loaded.warnings()));
        }
        LOG.log(
                next.rules().isEmpty() ? Level.WARNING : Level.INFO,
                "rules: " + next.rules().size() + " from " + label + " in force, version " + documents.version());
        return List.of();
    }

    /** Notes that the source is connected. */
    private void connected() {
        if (disconnectLogged) {
            LOG.log(Level.INFO, label + " is connected again");
            disconnectLogged = false;
        }
        if (!status.connected()) {
            status = with(true, status.current(), status.current() ? "" : status.problem());
        }
    }

    /** Notes that the source is disconnected; logged once, however many attempts fail. */
    synchronized void disconnected(String why) {
        losses.incrementAndGet();
        status = with(false, status.current(), why);
        if (!disconnectLogged) {
            disconnectLogged = true;
            String until = status.changed() == null ? "there are no rules from it yet" : "its last rules stay in force";
            LOG.log(Level.ERROR, label + " is unreachable: " + why + "; " + until + "; retrying");
        }
    }

    private SourceStatus with(boolean connected, boolean current, String problem) {
        SourceStatus old = status;
        return new SourceStatus(
                label, connected, current, problem, old.version(), old.changed(), old.documents(), old.rules());
    }

    /** Waits for the first snapshot of the source; returns false after the timeout. */
    boolean awaitFirst(long millis) throws InterruptedException {
        return received.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Returns the errors of the last snapshot. */
    synchronized List<Diagnostic> errors() {
        return lastErrors;
    }

    /** Puts the copy in force if the source has sent nothing yet; returns false if there is no copy. */
    synchronized boolean restore() throws IOException {
        SourceCopy.Contents saved = copyWriter.load();
        if (saved == null) {
            return false;
        }
        if (last != null) {
            return true;
        }
        List<RuleDocument> documents = new ArrayList<>();
        saved.documents().forEach((name, bytes) -> documents.add(protocol.document(name, bytes)));
        List<Diagnostic> errors = putInForce(new SourceSnapshot(documents, List.of(), saved.version()));
        if (!errors.isEmpty()) {
            throw new IOException("the copy of " + label + " does not load:\n" + lines(errors));
        }
        String why = status.problem().isEmpty() ? "it does not answer" : status.problem();
        LOG.log(
                Level.WARNING,
                "starting with the copy of " + label + " from " + saved.at() + ", "
                        + rules.rules().size() + " rules, because the source is unreachable: " + why);
        return true;
    }

    static String lines(List<Diagnostic> diagnostics) {
        String lines =
                diagnostics.stream().limit(SHOWN).map(Diagnostic::toString).collect(Collectors.joining("\n"));
        int more = diagnostics.size() - SHOWN;
        return more > 0 ? lines + "\n… and " + more + " more" : lines;
    }
}
