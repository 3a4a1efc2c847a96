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

/** Waits for a port to be bound, and explains why it could not be. */
final class PortBinding {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private PortBinding() {}

    /** Returns the bound address, which the settings {@code hostSetting} and {@code portSetting} name. */
    static ListenAddress bound(
            String what, String hostSetting, String portSetting, ListenAddress wanted, CompletionStage<Integer> binding)
            throws StartException {
        try {
            int port = binding.toCompletableFuture()
                    .orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            return new ListenAddress(wanted.host(), port);
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String setting = isHostProblem(cause) ? hostSetting : portSetting;
            throw new StartException(
                    what + " cannot listen on " + wanted + ": " + why(cause) + " (" + remedy(cause) + "--"
                            + setting.replace('_', '-') + " or WEIR_" + setting.toUpperCase(Locale.ROOT)
                            + " sets another)",
                    cause);
        }
    }

    private static boolean isHostProblem(Throwable cause) {
        return isUnknownHost(cause) || isForeignAddress(cause);
    }

    private static boolean isUnknownHost(Throwable cause) {
        return cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException;
    }

    private static boolean isForeignAddress(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("assign requested address");
    }

    /** Explains a failed bind. The native transport describes it only by an error number and a text. */
    private static String why(Throwable cause) {
        if (cause instanceof TimeoutException) {
            return "timed out after " + TIMEOUT.toSeconds() + " s";
        }
        if (isUnknownHost(cause)) {
            return "unknown host";
        }
        if (isForeignAddress(cause)) {
            return "no interface of this machine has this address";
        }
        String text = String.valueOf(cause.getMessage());
        if (text.contains("in use")) {
            return "the port is in use";
        }
        return isDenied(cause) ? "permission denied: ports below 1024 are privileged" : text;
    }

    private static String remedy(Throwable cause) {
        return isDenied(cause) ? "run as root, or choose a port >= 1024: " : "";
    }

    private static boolean isDenied(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("ermission denied");
    }
}
