package dev.weir.rules.diagnostics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with one file, so that all of it is said at once. */
public final class Problems {
    /** A hostile file must not turn into a hostile list. */
    private static final int MOST = 1_000;

    private final String file;
    private final @Nullable Function<Position, String> places;
    /** A set: what stands under an anchor is read again for each alias, and said once. */
    private final Set<Diagnostic> found = new LinkedHashSet<>();

    private int errors;
    private int leftOut;

    public Problems(String file) {
        this(file, null);
    }

    /** {@code places} says where a position is, in the place of its line and column. */
    public Problems(String file, @Nullable Function<Position, String> places) {
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
        add(at, Severity.ERROR, message, hint);
    }

    public void warning(Position at, String message, String hint) {
        add(at, Severity.WARNING, message, hint);
    }

    private void add(Position at, Severity severity, String message, String hint) {
        Diagnostic said =
                new Diagnostic(file, at.line(), at.column(), severity, Text.printable(message), Text.printable(hint));
        if (!isFull()) {
            found.add(said);
        } else if (!found.contains(said)) {
            leftOut++;
        }
    }

    /** Whether so much is wrong already that no more is shown, and no hint is worth its time. */
    public boolean isFull() {
        return found.size() == MOST;
    }

    /** How many errors so far; who reads a part of a file compares before and after. */
    public int errors() {
        return errors;
    }

    /** Everything found, in the order of the file. */
    public List<Diagnostic> all() {
        List<Diagnostic> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparingInt(Diagnostic::line).thenComparingInt(Diagnostic::column));
        if (places != null) {
            sorted.replaceAll(this::placed);
        }
        if (leftOut > 0) {
            Severity worst = errors > 0 ? Severity.ERROR : Severity.WARNING;
            sorted.add(new Diagnostic(file, 0, 0, worst, "and " + leftOut + " more", ""));
        }
        return List.copyOf(sorted);
    }

    private Diagnostic placed(Diagnostic each) {
        String where = each.line() == 0 ? file : place(new Position(each.line(), each.column()));
        return new Diagnostic(where, 0, 0, each.severity(), each.message(), each.hint());
    }
}
