package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;
import io.lettuce.core.RedisCommandExecutionException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells from what Redis said, or from how it was lost, why it cannot say. */
public final class RedisFailures {
    private static final String IN_SCRIPT = "-";
    /** What is said of a connection that ended without a word. */
    static final String CLOSED = "the connection was closed";

    private static final String ARGUMENTS = ", with args beginning with";

    private RedisFailures() {}

    /** What Redis said without what it was sent: that holds what callers are known by, or a password, and is nobody else's business. */
    static String withoutArguments(String error) {
        int echo = error.indexOf(ARGUMENTS);
        return echo < 0 ? error : error.substring(0, echo);
    }

    /** The first word of an error of Redis; errors inside scripts carry it after a dash in old versions, first in new ones. */
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

    /** Whether nobody serves the slot that was asked for, whatever else the node serves. */
    public static boolean isOfSlot(String error) {
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
        // The latter of a server that is addressed as a cluster, and is none.
        if (error.contains("max number of clients") || error.contains("cluster support disabled")) {
            return StoreFailure.UNAVAILABLE;
        }
        // Redis 7 does not say NOPERM of what a script may not call.
        if (error.contains("the user executing the script can't")) {
            return StoreFailure.REFUSED;
        }
        // Before WRONGPASS there was this, and a server without a password answers AUTH with it still.
        return error.contains("invalid password") || error.contains("auth")
                ? StoreFailure.REFUSED
                : StoreFailure.BROKEN;
    }

    /** Why a connection could not be had, or was lost. */
    public static StoreFailure of(@Nullable Throwable lost) {
        for (Throwable each = lost; each != null; each = each.getCause()) {
            if (each instanceof RedisCommandExecutionException said && said.getMessage() != null) {
                return ofError(withoutArguments(said.getMessage()));
            }
            if (each instanceof PlainCommand.Refusal said) {
                return ofError(withoutArguments(said.error));
            }
        }
        return StoreFailure.UNREACHABLE;
    }

    /** The innermost reason, for people. */
    public static String reason(@Nullable Throwable lost) {
        if (lost == null) {
            return CLOSED;
        }
        Throwable last = lost;
        while (last.getCause() != null && last.getCause() != last) {
            last = last.getCause();
        }
        String message = last instanceof PlainCommand.Refusal said ? said.error : last.getMessage();
        if (last instanceof ClosedChannelException) {
            return CLOSED;
        }
        if (last instanceof CertificateExpiredException || last instanceof CertificateNotYetValidException) {
            return "its certificate is not valid at this time, " + message;
        }
        return message == null || message.isEmpty() ? last.getClass().getSimpleName() : withoutArguments(message);
    }
}
