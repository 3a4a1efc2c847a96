package dev.weir.redis.internal.connection;

import org.jspecify.annotations.Nullable;

/**
 * A redirect from a cluster node: the server that has a hash slot.
 *
 * @param ask whether it is for one command, because the hash slot is migrating; otherwise it is permanent
 * @param host empty for the host that sent the redirect; {@code ?} if that does not know the host's name
 */
public record ClusterRedirect(boolean ask, int slot, String host, int port) {

    /** Reads {@code MOVED 3999 127.0.0.1:6381} and {@code ASK 3999 127.0.0.1:6381}; null for anything else. */
    public static @Nullable ClusterRedirect of(String error) {
        String code = RedisFailures.code(error);
        if (!code.equals("MOVED") && !code.equals("ASK")) {
            return null;
        }
        String[] words = error.substring(error.indexOf(code)).split("\\s+", -1);
        int colon = words.length < 3 ? -1 : words[2].lastIndexOf(':');
        if (colon < 0) {
            return null;
        }
        try {
            int slot = Integer.parseInt(words[1]);
            int port = Integer.parseInt(words[2].substring(colon + 1));
            return new ClusterRedirect(code.equals("ASK"), slot, words[2].substring(0, colon), port);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
