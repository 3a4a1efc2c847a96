package dev.weir.text.diagnostics;

import dev.weir.text.message.PrintableText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with one file, so that all of it is said at once. */
public final class DiagnosticCollector {
    /** Of each severity: a hostile file must not turn into a hostile list, nor warnings hide an error. */
    private static final int MOST = 1_000;

    private final String file;
    private final @Nullable Function<Position, String> places;
    private final Found wrong = new Found();
    private final Found doubtful = new Found();
    private int errors;

    /** What was found of one severity. */
    private static final class Found {
        /** A set: what stands under an anchor is read again for each alias, and said once. */
        final Set<Diagnostic> said = new LinkedHashSet<>();

        int leftOut;

        boolean isFull() {
            return said.size() == MOST;
        }

        void add(Diagnostic each) {
            if (!isFull()) {
                said.add(each);
            } else if (!said.contains(each)) {
                leftOut++;
            }
        }
    }

    public DiagnosticCollector(String file) {
        this(file, null);
    }

    /** {@code places} says where a position is, in the place of its line and column. */
    public DiagnosticCollector(String file, @Nullable Function<Position, String> places) {
        this.file = file;
        this.places = places;
    }

    public String file() {
        return file;
    }

    /** {@code rules.yaml:12:9}. */
    public String place(Position at) {
        return file + ":" + (places == null ? at : places.apply(at));
    }

    public void error(Position at, String message) {
        error(at, message, "");
    }

    public void error(Position at, String message, String hint) {
        errors++;
        wrong.add(diagnostic(at, Severity.ERROR, message, hint));
    }

    public void warning(Position at, String message, String hint) {
        doubtful.add(diagnostic(at, Severity.WARNING, message, hint));
    }

    private Diagnostic diagnostic(Position at, Severity severity, String message, String hint) {
        return new Diagnostic(
                file,
                at.line(),
                at.column(),
                severity,
                PrintableText.printable(message),
                PrintableText.printable(hint));
    }

    /** Whether so many errors are there already that no more is shown, and no hint is worth its time. */
    public boolean isFull() {
        return wrong.isFull();
    }

    /** How many errors so far; who reads a part of a file compares before and after. */
    public int errors() {
        return errors;
    }

    /** Everything found, in the order of the file. */
    public List<Diagnostic> all() {
        List<Diagnostic> sorted = new ArrayList<>(wrong.said);
        sorted.addAll(doubtful.said);
        sorted.sort(Comparator.comparingInt(Diagnostic::line).thenComparingInt(Diagnostic::column));
        if (places != null) {
            sorted.replaceAll(this::placed);
        }
        if (wrong.leftOut > 0) {
            sorted.add(diagnostic(Position.FILE, Severity.ERROR, "and " + wrong.leftOut + " more", ""));
        }
        if (doubtful.leftOut > 0) {
            sorted.add(diagnostic(Position.FILE, Severity.WARNING, "and " + doubtful.leftOut + " more", ""));
        }
        return List.copyOf(sorted);
    }

    private Diagnostic placed(Diagnostic each) {
        String where = each.line() == 0 ? file : place(new Position(each.line(), each.column()));
        return new Diagnostic(where, 0, 0, each.severity(), each.message(), each.hint());
    }
}
