package dev.weir.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP call, as a framework's adapter shows it to an {@link HttpLimiter}. The limiter reads it on the thread that asks,
 * and once more when the call has ended if something is {@linkplain HttpLimiter.Builder#chargeAfter charged} then.
 */
public interface HttpCall {

    /** The method, such as {@code GET}. */
    String method();

    /**
     * The path that the framework routes by, percent-encoded. Rules compare it in its normal form, so a query, path
     * parameters or doubled slashes make no difference.
     */
    String path();

    /** The values of all header fields of this name, in the order of the message; empty without one. */
    List<String> headers(String name);

    /** The address that the connection comes from; null if the framework does not know it, and then there is no {@code ip}. */
    @Nullable
    String peer();

    /** The name of the authenticated user; null if there is none, or not yet. */
    default @Nullable String user() {
        return null;
    }

    /** The pattern that the framework routed the call by, such as {@code /orders/{id}}; null if it is not known yet. */
    default @Nullable String route() {
        return null;
    }

    /** The attribute that the application attached to the call under this name; null without one. */
    default @Nullable Object attachment(String name) {
        return null;
    }

    /** The first value of a header; null without one. */
    default @Nullable String header(String name) {
        List<String> all = headers(name);
        return all.isEmpty() ? null : all.get(0);
    }
}
