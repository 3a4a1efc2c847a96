package dev.weir.control.source;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Describes why a connection failed, in one line for people. */
final class SourceFailureReason {
    private static final int LONGEST = 300;

    private SourceFailureReason() {}

    static String of(Throwable failure) {
        Status status = failure instanceof StatusException e
                ? e.getStatus()
                : failure instanceof StatusRuntimeException e ? e.getStatus() : null;
        String text = status == null ? text(failure) : text(status);
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }

    private static String text(Status status) {
        String code = status.getCode().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String description = status.getDescription();
        Throwable cause = status.getCause();
        return code
                + (description == null ? "" : ": " + description)
                + (cause == null ? "" : " (" + text(deepest(cause)) + ")");
    }

    private static Throwable deepest(Throwable failure) {
        Throwable deepest = failure;
        for (int i = 0; i < 10 && deepest.getCause() != null; i++) {
            deepest = deepest.getCause();
        }
        return deepest;
    }

    private static String text(Throwable failure) {
        @Nullable String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }
}
