package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;
import io.lettuce.core.RedisCommandExecutionException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Classifies failures by Redis's error or by the exception that ended the connection. */
public final class RedisFailures {
    private static final String IN_SCRIPT = "-";
    /** The reason of a connection that was closed without an error. */
    static final String CLOSED = "the connection was closed";

    /** The begin of messages of commands that are no part of a decision, for callers that know of no Redis. */
    static final String REDIS = "redis: ";

    private static final String ARGUMENTS = ", with args beginning with";

    private RedisFailures() {}

    /** Removes the arguments that Redis repeats in its error. They identify callers or hold a password. */
    static String withoutArguments(String error) {
        int echo = error.indexOf(ARGUMENTS);
        return echo < 0 ? error : error.substring(0, echo);
    }

    /**
     * Returns the code of an error, its first word. For errors inside scripts, old versions put it after a dash, new
     * versions first.
     */
    public static String code(String error) {
        int end = error.indexOf(' ');
        String first = end < 0 ? error : error.substring(0, end);
        if (!first.equals("ERR")) {
            return first;
        }
        // Redis 6.2: "ERR Error running script (call to f_…): @user_script:12: @user_script: 12: -OOM command not
        // allowed …"
        int dash = error.startsWith("ERR Error running script") ? error.lastIndexOf(": " + IN_SCRIPT) : -1;
        if (dash < 0) {
            return first;
        }
        int start = dash + 3;
        int stop = error.indexOf(' ', start);
        String inner = error.substring(start, stop < 0 ? error.length() : stop);
        return inner.isEmpty() ? first : inner;
    }

    /** Returns whether the error is only about one hash slot, which no node serves. */
    public static boolean isOfHashSlot(String error) {
        return error.startsWith("CLUSTERDOWN Hash slot not served");
    }

    public static StoreFailure ofError(String error) {
        return switch (code(error)) {
            case "NOAUTH", "WRONGPASS", "NOPERM" -> StoreFailure.REFUSED;
            case "CLUSTERDOWN",
                    "LOADING",
                    "MASTERDOWN",
                    "READONLY",
                    "OOM",
                    "NOREPLICAS",
                    "MISCONF",
                    "BUSY",
                    "TRYAGAIN",
                    "UNBLOCKED",
                    "MOVED",
                    "ASK" -> StoreFailure.UNAVAILABLE;
            case "ERR" -> ofPlainError(error.toLowerCase(Locale.ROOT));
            default -> StoreFailure.BROKEN;
        };
    }

    private static StoreFailure ofPlainError(String error) {
        // The second error comes from a server that is addressed as a cluster but is none.
        if (error.contains("max number of clients") || error.contains("cluster support disabled")) {
            return StoreFailure.UNAVAILABLE;
        }
        // Redis 7 does not reply NOPERM for commands that a script may not call.
        if (error.contains("the user executing the script can't")) {
            return StoreFailure.REFUSED;
        }
        // Old versions reply this instead of WRONGPASS, and so does a server without a password to AUTH.
        return error.contains("invalid password") || error.contains("auth")
                ? StoreFailure.REFUSED
                : StoreFailure.BROKEN;
    }

    /** Classifies why a connection could not be opened or was lost. */
    public static StoreFailure of(@Nullable Throwable lost) {
        for (Throwable each = lost; each != null; each = each.getCause()) {
            if (each instanceof RedisCommandExecutionException refusal && refusal.getMessage() != null) {
                return ofError(withoutArguments(refusal.getMessage()));
            }
            if (each instanceof PlainCommand.Refusal refusal) {
                return ofError(withoutArguments(refusal.error));
            }
        }
        return StoreFailure.UNREACHABLE;
    }

    /** Returns the innermost reason, for people who know already that it is about Redis. */
    public static String reason(@Nullable Throwable lost) {
        if (lost == null) {
            return CLOSED;
        }
        Throwable last = lost;
        while (last.getCause() != null && last.getCause() != last) {
            last = last.getCause();
        }
        String message = last instanceof PlainCommand.Refusal refusal ? refusal.error : last.getMessage();
        if (last instanceof ClosedChannelException) {
            return CLOSED;
        }
        if (last instanceof CertificateExpiredException || last instanceof CertificateNotYetValidException) {
            return "its certificate is not valid at this time, " + message;
        }
        if (message == null || message.isEmpty()) {
            return last instanceof TimeoutException
                    ? "no answer"
                    : last.getClass().getSimpleName();
        }
        return withoutArguments(message.startsWith(REDIS) ? message.substring(REDIS.length()) : message);
    }
}
