package dev.weir.servlet;

import dev.weir.http.HttpCall;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A servlet request, as an {@link HttpCall}. */
final class ServletCall implements HttpCall {
    private final HttpServletRequest request;

    ServletCall(HttpServletRequest request) {
        this.request = request;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    /**
     * The path that the container maps to a servlet. {@code getRequestURI} is as the caller spelled it, and matching it
     * could be evaded. The container has decoded this path, so it is encoded again where that matters.
     */
    @Override
    public String path() {
        String servlet = request.getServletPath();
        String info = request.getPathInfo();
        return encoded(info == null ? servlet : servlet + info);
    }

    static String encoded(String path) {
        for (int i = 0; i < path.length(); i++) {
            if (isReserved(path.charAt(i))) {
                return encodedFrom(i, path);
            }
        }
        return path.isEmpty() ? "/" : path;
    }

    /** Whether a character of a decoded path would change its meaning if it were read as a path of the wire. */
    private static boolean isReserved(char c) {
        return c == '%' || c == '?' || c == '#' || c == ';' || c == '\\';
    }

    private static String encodedFrom(int first, String path) {
        StringBuilder text = new StringBuilder(path.length() + 16).append(path, 0, first);
        for (int i = first; i < path.length(); i++) {
            char c = path.charAt(i);
            if (!isReserved(c)) {
                text.append(c);
            } else {
                for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
                    text.append('%')
                            .append(Character.toUpperCase(Character.forDigit(b >> 4 & 15, 16)))
                            .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
                }
            }
        }
        return text.toString();
    }

    @Override
    public List<String> headers(String name) {
        return Collections.list(request.getHeaders(name));
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public String peer() {
        return request.getRemoteAddr();
    }

    @Override
    public @Nullable String user() {
        return request.getRemoteUser();
    }

    @Override
    public @Nullable String route() {
        return request.getAttribute(WeirFilter.ROUTE) instanceof String route ? route : null;
    }

    @Override
    public @Nullable Object attachment(String name) {
        return request.getAttribute(name);
    }
}
