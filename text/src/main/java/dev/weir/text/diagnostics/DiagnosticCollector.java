package dev.weir.text.diagnostics;

import dev.weir.text.message.PrintableText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects the errors and warnings of one file, so that they are reported together. */
public final class DiagnosticCollector {
    /**
     * The most diagnostics of each severity: a hostile file must not cause an endless list, and warnings must not hide
     * an error.
     */
    private static final int MOST = 1_000;

    private final String file;
    private final @Nullable Function<Position, String> places;
    private final Found errorList = new Found();
    private final Found warningList = new Found();
    private int errors;

    /** The diagnostics of one severity. */
    private static final class Found {
        /** A set, because the value of an anchor is read again for each alias but reported once. */
        final Set<Diagnostic> diagnostics = new LinkedHashSet<>();

        int leftOut;

        boolean isFull() {
            return diagnostics.size() == MOST;
        }

        void add(Diagnostic each) {
            if (!isFull()) {
                diagnostics.add(each);
            } else if (!diagnostics.contains(each)) {
                leftOut++;
            }
        }
    }

    public DiagnosticCollector(String file) {
        this(file, null);
    }

    /** Creates a collector; {@code places} replaces line and column by another description of a position. */
    public DiagnosticCollector(String file, @Nullable Function<Position, String> places) {
        this.file = file;
        this.places = places;
    }

    public String file() {
        return file;
    }

    /** Returns a position with its file, for example {@code rules.yaml:12:9}. */
    public String place(Position at) {
        return file + ":" + (places == null ? at : places.apply(at));
    }

    public void error(Position at, String message) {
        error(at, message, "");
    }

    public void error(Position at, String message, String hint) {
        errors++;
        errorList.add(diagnostic(at, Severity.ERROR, message, hint));
    }

    public void warning(Position at, String message, String hint) {
        warningList.add(diagnostic(at, Severity.WARNING, message, hint));
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

    /** Returns whether no more errors are shown, so that hints are not worth computing. */
    public boolean isFull() {
        return errorList.isFull();
    }

    /** Returns the number of errors so far. The reader of a part of a file compares it before and after. */
    public int errors() {
        return errors;
    }

    /** Returns all diagnostics, in the order of the file. */
    public List<Diagnostic> all() {
        List<Diagnostic> sorted = new ArrayList<>(errorList.diagnostics);
        sorted.addAll(warningList.diagnostics);
        sorted.sort(Comparator.comparingInt(Diagnostic::line).thenComparingInt(Diagnostic::column));
        if (places != null) {
            sorted.replaceAll(this::placed);
        }
        if (errorList.leftOut > 0) {
            sorted.add(diagnostic(Position.FILE, Severity.ERROR, "and " + errorList.leftOut + " more", ""));
        }
        if (warningList.leftOut > 0) {
            sorted.add(diagnostic(Position.FILE, Severity.WARNING, "and " + warningList.leftOut + " more", ""));
        }
        return List.copyOf(sorted);
    }

    private Diagnostic placed(Diagnostic each) {
        String where = each.line() == 0 ? file : place(new Position(each.line(), each.column()));
        return new Diagnostic(where, 0, 0, each.severity(), each.message(), each.hint());
    }
}
