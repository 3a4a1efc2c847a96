package dev.weir.server.listener;

import dev.weir.server.lifecycle.StartException;
import dev.weir.server.settings.ListenAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for a port to be bound, and says in words why it cannot be. */
final class PortBinding {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private PortBinding() {}

    /** Where it listens; {@code settings} begin the names of those that would name another host or port: {@code http}. */
    static ListenAddress bound(String what, String settings, ListenAddress wanted, CompletionStage<Integer> binding)
            throws StartException {
        try {
            int port = binding.toCompletableFuture()
                    .orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            return new ListenAddress(wanted.host(), port);
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String setting = settings + (isOfHost(cause) ? "_host" : "_port");
            throw new StartException(
                    what + " cannot listen on " + wanted + ": " + why(cause) + " (--" + setting.replace('_', '-')
                            + " or WEIR_" + setting.toUpperCase(Locale.ROOT) + " names another)",
                    cause);
        }
    }

    private static boolean isOfHost(Throwable cause) {
        return isUnknownHost(cause) || isElsewhere(cause);
    }

    private static boolean isUnknownHost(Throwable cause) {
        return cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException;
    }

    private static boolean isElsewhere(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("assign requested address");
    }

    /** In words: the native transport knows a bind that failed only by its number and its text. */
    private static String why(Throwable cause) {
        if (cause instanceof TimeoutException) {
            return "nothing came of it in " + TIMEOUT.toSeconds() + " s";
        }
        if (isUnknownHost(cause)) {
            return "there is no such host";
        }
        if (isElsewhere(cause)) {
            return "the address is not of this machine";
        }
        String text = String.valueOf(cause.getMessage());
        if (text.contains("in use")) {
            return "the port is in use";
        }
        return text.contains("ermission denied") ? "ports below 1024 take a right that this user lacks" : text;
    }
}
