package dev.weir.control.source;

import dev.weir.internal.ruleset.RuleSet;
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
 * The rules of one source: the last of them that load stay in force, whatever happens to the source. They are taken in whole,
 * so nobody ever sees a part of a change.
 */
public final class SourceRules implements SourceProtocol.Intake {
    private static final System.Logger LOG = System.getLogger(SourceRules.class.getName());
    private static final int SHOWN = 20;

    private final String label;
    private final SourceProtocol protocol;
    private final LoadOptions options;
    private final SourceCopyWriter keeper;
    private final CountDownLatch heard = new CountDownLatch(1);
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong losses = new AtomicLong();
    private final AtomicLong mistakes = new AtomicLong();

    private @Nullable SourceSnapshot last;
    private List<Diagnostic> lastErrors = List.of();
    private boolean saidLost;
    private volatile RuleSet rules = RuleSet.empty();
    private volatile SourceStatus status;
    private volatile Consumer<RuleSet> listener = next -> {};

    SourceRules(String label, SourceProtocol protocol, LoadOptions options, SourceCopyWriter keeper) {
        this.label = label;
        this.protocol = protocol;
        this.options = options;
        this.keeper = keeper;
        this.status = new SourceStatus(label, false, true, "", "", null, 0, 0);
    }

    /** What the source is called, among others in its rules' own {@code source}. */
    public String label() {
        return label;
    }

    /** The rules that are in force; none before the first. */
    public RuleSet rules() {
        return rules;
    }

    public SourceStatus status() {
        return status;
    }

    /** Times that other rules came into force. */
    public long changes() {
        return changes.get();
    }

    /** Times that the source could not be reached, or was lost. */
    public long losses() {
        return losses.get();
    }

    /** Times that what it held could not come into force. */
    public long mistakes() {
        return mistakes.get();
    }

    /**
     * Has {@code next} put rules in force from now on, on the thread that found out. What it throws keeps them from it, and is
     * told to the source.
     */
    public void onRules(Consumer<RuleSet> next) {
        listener = next;
    }

    @Override
    public List<Diagnostic> take(SourceSnapshot documents) {
        List<Diagnostic> errors = takeIn(documents);
        heard.countDown();
        return errors;
    }

    private synchronized List<Diagnostic> takeIn(SourceSnapshot documents) {
        found();
        if (last != null && last.sayTheSameAs(documents)) {
            return lastErrors;
        }
        last = documents;
        lastErrors = putInForce(documents);
        if (lastErrors.isEmpty()) {
            keeper.keep(documents);
        } else {
            mistakes.incrementAndGet();
            status = with(true, false, lastErrors.get(0).toString());
            LOG.log(
                    Level.ERROR,
                    "the rules of " + label + " do not load; those of before stay in force:\n" + lines(lastErrors));
        }
        return lastErrors;
    }

    /** What keeps {@code documents} from being in force; nothing if they are. */
    private List<Diagnostic> putInForce(SourceSnapshot documents) {
        if (!documents.problems().isEmpty()) {
            return documents.problems();
        }
        LoadResult loaded = RuleLoader.load(documents.documents(), options);
        RuleSet next = loaded.rules();
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
            LOG.log(Level.WARNING, "about the rules of " + label + ":\n" + lines(loaded.warnings()));
        }
        LOG.log(
                next.rules().isEmpty() ? Level.WARNING : Level.INFO,
                "rules: " + next.rules().size() + " from " + label + " in force, version " + documents.version());
        return List.of();
    }

    /** The source is there. */
    private void found() {
        if (saidLost) {
            LOG.log(Level.INFO, label + " is back");
            saidLost = false;
        }
        if (!status.connected()) {
            status = with(true, status.current(), status.current() ? "" : status.problem());
        }
    }

    /** The source is away; said once, however often it is tried. */
    synchronized void lost(String why) {
        losses.incrementAndGet();
        status = with(false, status.current(), why);
        if (!saidLost) {
            saidLost = true;
            String until = status.changed() == null ? "it has no rules yet" : "its rules of before stay in force";
            LOG.log(Level.ERROR, label + " cannot be followed: " + why + "; " + until + ", and it is tried again");
        }
    }

    private SourceStatus with(boolean connected, boolean current, String problem) {
        SourceStatus old = status;
        return new SourceStatus(
                label, connected, current, problem, old.version(), old.changed(), old.documents(), old.rules());
    }

    /** Waits until the source has said something; false if that takes too long. */
    boolean awaitFirst(long millis) throws InterruptedException {
        return heard.await(millis, TimeUnit.MILLISECONDS);
    }

    /** What was wrong with what the source said last. */
    synchronized List<Diagnostic> errors() {
        return lastErrors;
    }

    /** Puts the copy in force if the source has still said nothing; false if there is none. */
    synchronized boolean restore() throws IOException {
        SourceCopy.Kept kept = keeper.load();
        if (kept == null) {
            return false;
        }
        if (last != null) {
            return true;
        }
        List<RuleDocument> documents = new ArrayList<>();
        kept.documents().forEach((name, bytes) -> documents.add(protocol.document(name, bytes)));
        List<Diagnostic> errors = putInForce(new SourceSnapshot(documents, List.of(), kept.version()));
        if (!errors.isEmpty()) {
            throw new IOException("the copy of " + label + " does not load:\n" + lines(errors));
        }
        String why = status.problem().isEmpty() ? "it does not answer" : status.problem();
        LOG.log(
                Level.WARNING,
                "starting with what " + label + " held at " + kept.at() + ", "
                        + rules.rules().size() + " rules: " + why);
        return true;
    }

    static String lines(List<Diagnostic> diagnostics) {
        String lines =
                diagnostics.stream().limit(SHOWN).map(Diagnostic::toString).collect(Collectors.joining("\n"));
        int more = diagnostics.size() - SHOWN;
        return more > 0 ? lines + "\n… and " + more + " more" : lines;
    }
}
