package dev.weir.internal.match.pattern;

import org.jspecify.annotations.Nullable;

/** The attributes that mean something to Weir; any other is text to compare and to count by. */
final class Attributes {
    static final String ENDPOINT = "endpoint";
    static final String METHOD = "method";
    static final String IP = "ip";
    static final String REMOTE_ADDRESS = "remote_address";
    static final String CLIENT_ID = "client_id";
    static final String API_KEY = "api_key";
    static final String TIER = "tier";

    private Attributes() {}

    /** Whether values of {@code attribute} are addresses: {@code ip}, {@code remote_address}, and names like {@code peer_ip}. */
    static boolean isAddress(@Nullable String attribute) {
        return attribute != null
                && (attribute.equals(IP) || attribute.equals(REMOTE_ADDRESS) || attribute.endsWith("_ip"));
    }

    /** Whether {@code attribute} tells one caller from another, so that who has a quota shares it with nobody. */
    static boolean isCaller(String attribute) {
        return attribute.equals(API_KEY) || attribute.equals(CLIENT_ID) || attribute.equals("user_id");
    }

    /** Whether a request's {@code client_id} may stand for {@code attribute}. */
    static boolean isClient(String attribute) {
        return attribute.equals("user_id") || attribute.equals("api_key") || attribute.equals(IP);
    }
}
