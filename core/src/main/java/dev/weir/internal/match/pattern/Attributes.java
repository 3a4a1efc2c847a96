package dev.weir.internal.match.pattern;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The attributes that have a meaning for Weir; any other is text to compare and to count by. */
public final class Attributes {
    public static final String ENDPOINT = "endpoint";
    public static final String METHOD = "method";
    public static final String IP = "ip";
    public static final String REMOTE_ADDRESS = "remote_address";
    public static final String CLIENT_ID = "client_id";
    public static final String API_KEY = "api_key";
    public static final String TIER = "tier";
    /** The identities that a request's {@link #CLIENT_ID} may stand in for. */
    public static final List<String> OF_CLIENT = List.of("user_id", API_KEY, IP);

    /** How important a request is, as its caller says: it can lower its priority, and not raise it. */
    public static final String PRIORITY = "priority";
    /** The entry of a descriptor that says which unit its hits are of; without it they are requests. */
    public static final String UNIT = "weir.unit";
    /** The entry of a descriptor with {@link #UNIT} whose hits were used already: {@code true} charges them in full. */
    public static final String REPORT = "weir.report";

    private Attributes() {}

    /**
     * Whether values of {@code attribute} are addresses: {@code ip}, {@code remote_address}, and names like {@code
     * peer_ip}.
     */
    public static boolean isAddress(@Nullable String attribute) {
        return attribute != null
                && (attribute.equals(IP) || attribute.equals(REMOTE_ADDRESS) || attribute.endsWith("_ip"));
    }

    /** Whether {@code attribute} identifies a caller, so that callers with overrides share its counters with nobody. */
    public static boolean isCaller(String attribute) {
        return attribute.equals(API_KEY) || attribute.equals(CLIENT_ID) || attribute.equals("user_id");
    }

    /** Whether a request's {@code client_id} may stand in for {@code attribute}. */
    public static boolean isClient(String attribute) {
        return OF_CLIENT.contains(attribute);
    }
}
