package dev.weir.control.change;

import java.util.List;

/** A change that was not made, for a reason that its author can do something about. */
public final class ChangeRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Cause {
        /** What was given is wrong. */
        INVALID,
        /** The thing has changed since its author looked. */
        STALE,
        /** There is no such thing. */
        MISSING,
        /** Another has what only one can have. */
        TAKEN
    }

    private final Cause kind;
    private final transient List<String> details;

    public ChangeRefusedException(Cause kind, String message, List<String> details) {
        super(message);
        this.kind = kind;
        this.details = List.copyOf(details);
    }

    public ChangeRefusedException(Cause kind, String message) {
        this(kind, message, List.of());
    }

    /** What was given is wrong in these ways; the message tells the first. */
    public static ChangeRefusedException invalid(List<?> problems) {
        List<String> lines = problems.stream().map(Object::toString).toList();
        String first = lines.isEmpty() ? "it cannot be read" : lines.get(0);
        String more = lines.size() > 1 ? " (and " + (lines.size() - 1) + " more)" : "";
        return new ChangeRefusedException(Cause.INVALID, first + more, lines);
    }

    public Cause kind() {
        return kind;
    }

    /** Everything that is wrong, a line each; empty where the message says it all. */
    public List<String> details() {
        return details;
    }
}
