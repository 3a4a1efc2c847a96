package dev.weir.client.internal;

import java.util.Locale;

/** The name of the server that a call goes to. All spellings of one server have the same name. */
public final class CallOrigin {
    private CallOrigin() {}

    /** The origin of a URL, without the port that its scheme implies; {@code port} is negative if the URL has none. */
    public static String of(String scheme, String host, int port) {
        String lower = scheme.toLowerCase(Locale.ROOT);
        boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
        String name = lower + "://" + (bare ? '[' + host + ']' : host).toLowerCase(Locale.ROOT);
        return port < 0 || port == (lower.equals("https") ? 443 : 80) ? name : name + ':' + port;
    }
}
