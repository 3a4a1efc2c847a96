package dev.weir.control.change;

import java.util.List;

/** Thrown if a change is refused for a reason that its author can correct. */
public final class ChangeRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason of a refusal. */
    public enum Cause {
        /** The request is invalid. */
        INVALID,
        /** The record has changed since its author read it. */
        STALE,
        /** The record does not exist. */
        MISSING,
        /** The name is in use already. */
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

    /** Refuses a request for all of these errors. The message shows the first. */
    public static ChangeRefusedException invalid(List<?> problems) {
        List<String> lines = problems.stream().map(Object::toString).toList();
        String first = lines.isEmpty() ? "the request cannot be read" : lines.get(0);
        String more = lines.size() > 1 ? " (and " + (lines.size() - 1) + " more)" : "";
        return new ChangeRefusedException(Cause.INVALID, first + more, lines);
    }

    public Cause kind() {
        return kind;
    }

    /** Returns all errors, one per line; empty if the message says everything. */
    public List<String> details() {
        return details;
    }
}
