package dev.weir.server.rest;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.rest.ForwardQuery.Family;
import dev.weir.server.rls.RequestCaps;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the attributes of a request that a gateway asks about out of the headers that it forwards.
 *
 * <p>The end user writes some of these headers, and many gateways let a request pass if Weir answers with an error. So
 * nothing that an end user alone can send is an error: of a header that comes twice the first value counts, and a value
 * that is too long is cut.
 */
final class ForwardReader {
    private static final System.Logger LOG = System.getLogger(ForwardReader.class.getName());

    private final ForwardSettings settings;
    private final RequestCaps caps;
    private final String addressHeader;
    /** Whether a gateway that names its callers may still need the hint that nobody reads their addresses. */
    private final AtomicBoolean warns;

    ForwardReader(ForwardSettings settings, RequestCaps caps, TrustedProxies proxies) {
        this.settings = settings;
        this.caps = caps;
        this.addressHeader = proxies.header().text();
        this.warns = new AtomicBoolean(proxies.blocks().isEmpty());
    }

    /** Fills {@code into}; {@code caller} is the address that the call comes from. */
    void read(
            HttpServerRequest http,
            ForwardQuery query,
            Supplier<? extends Collection<String>> loaded,
            String caller,
            Request into) {
        MultiMap headers = http.headers();
        into.clear(CheckReader.domain(query.domain(), loaded)).asAttributes();
        Long cost = query.cost();
        if (cost != null) {
            into.hits(cost);
        }
        Family family = family(headers, query.from());
        String method = headers.get(family.method);
        into.with(Attributes.ENDPOINT, cut(uri(headers, family)));
        into.with(Attributes.METHOD, cut(method == null ? http.method().name() : method));
        into.with(Attributes.IP, caller);
        if (warns.get() && headers.contains(addressHeader) && warns.compareAndSet(true, false)) {
            LOG.log(
                    Level.WARNING,
                    "the gateway at {0} sends {1}, which is not read: ip is {0} for all of its callers (to count each of"
                            + " them, add it to trusted_proxies; logged once)",
                    caller,
                    addressHeader);
        }
        for (Map.Entry<String, String> each : settings.attributes().entrySet()) {
            String value = headers.get(each.getValue());
            if (value != null && !value.isEmpty()) {
                into.with(each.getKey(), cut(value));
            }
        }
    }

    /**
     * The headers that name method and path. If both families are there and differ, one of them is the end user's, and
     * nobody can tell which.
     */
    private static Family family(MultiMap headers, @Nullable Family from) {
        if (from != null) {
            if (uriOrNull(headers, from) == null) {
                throw HttpProblemException.badRequest(
                        from.uri + ": missing (expected: the path of the request that the" + " gateway asks about)");
            }
            return from;
        }
        String forwarded = uriOrNull(headers, Family.FORWARDED);
        String original = uriOrNull(headers, Family.ORIGINAL);
        if (forwarded == null && original == null) {
            throw HttpProblemException.badRequest(
                    "X-Forwarded-Uri: missing (expected: X-Forwarded-Uri or X-Original-URI, the path of the request that"
                            + " the gateway asks about)");
        }
        if (forwarded != null && original != null && !forwarded.equals(original)) {
            throw HttpProblemException.badRequest("X-Forwarded-Uri: " + CallerText.shown(forwarded)
                    + ", but X-Original-URI: " + CallerText.shown(original)
                    + " (expected: ?from=forwarded or ?from=original, which says what this gateway writes)");
        }
        return forwarded != null ? Family.FORWARDED : Family.ORIGINAL;
    }

    private static String uri(MultiMap headers, Family family) {
        return String.valueOf(uriOrNull(headers, family));
    }

    private static @Nullable String uriOrNull(MultiMap headers, Family family) {
        String uri = headers.get(family.uri);
        return uri != null || family.uri.equals(family.url) ? uri : pathOf(headers.get(family.url));
    }

    /** The path of a URL, which some gateways send in the place of a path. */
    private static @Nullable String pathOf(@Nullable String url) {
        int scheme = url == null ? -1 : url.indexOf("://");
        int path = url == null || scheme < 0 ? -1 : url.indexOf('/', scheme + 3);
        return url == null || scheme < 0 ? url : path < 0 ? "/" : url.substring(path);
    }

    /** Header values are bytes, one for each character. In UTF-8 such a character has up to two. */
    private String cut(String value) {
        int longest = caps.value() / 2;
        return value.length() <= longest ? value : value.substring(0, longest);
    }
}
