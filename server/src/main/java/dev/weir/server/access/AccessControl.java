package dev.weir.server.access;

import dev.weir.TimeSource;
import dev.weir.control.token.Role;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.TokenCache.Found;
import dev.weir.control.token.TokenText;
import dev.weir.control.token.Tokens;
import dev.weir.server.access.RefusedCalls.Reason;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.RequestBody;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers, from memory and the table of sockets of this machine alone.
 *
 * <p><b>Without a token</b> a call is accepted only from this machine, from a process of the server's own user or of
 * root, and not through a proxy. As long as no admin token exists it may do everything, afterwards it may only read. An
 * expired token still counts as existing: its expiry must not grant access.
 *
 * <p><b>With a token</b> the role of the token decides, whatever the address.
 */
public final class AccessControl {
    /** Headers that proxies add to the requests that they forward, in small letters. */
    private static final Set<String> PROXIES = Set.of(
            "forwarded",
            "via",
            "x-real-ip",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-original-host",
            "x-envoy-external-address",
            "x-envoy-internal",
            "cf-connecting-ip",
            "true-client-ip",
            "proxy-connection");

    private static final String PROXY_PREFIX = "x-forwarded-";

    private static final String SCHEME = "bearer ";
    private static final String REALM = "weir";

    private final @Nullable TokenCache tokenCache;
    private final @Nullable FixedToken fixed;
    private final WrongTokenThrottle attempts;
    private final RefusedCalls refused = new RefusedCalls();
    private final LoopbackPeers peers = new LoopbackPeers(SocketOwners.ofSystem());

    /**
     * Creates access control by these tokens.
     *
     * @param tokenCache the tokens of the database; null if there is none
     * @param fixed the token of the settings; null if there is none
     */
    public AccessControl(@Nullable TokenCache tokenCache, @Nullable FixedToken fixed, TimeSource time) {
        this.tokenCache = tokenCache;
        this.fixed = fixed;
        this.attempts = new WrongTokenThrottle(time);
    }

    /** Access control without any token. */
    public static AccessControl open() {
        return new AccessControl(null, null, TimeSource.system());
    }

    /** The counts of refused calls. */
    public RefusedCalls refused() {
        return refused;
    }

    /** The number of tokens. */
    public int tokens() {
        return (fixed == null ? 0 : 1) + (tokenCache == null ? 0 : tokenCache.size());
    }

    /** Whether the admin port may listen to other machines: a token exists, or it is not known yet whether one does. */
    public boolean mayListenAnywhere() {
        return tokens() > 0 || (tokenCache != null && !tokenCache.isRead());
    }

    /**
     * Identifies the caller of the admin port. The body of the request is not read before one of the handlers was
     * called.
     *
     * @param refused gets 401 or 429 for an invalid token; 401 or 403 if a token is required and missing; 503 if the
     *     tokens are lost
     */
    public void identify(HttpServerRequest request, Handler<Caller> identified, Handler<Throwable> refused) {
        Future<Caller> caller = identify(request);
        boolean waits = !caller.isComplete();
        if (waits) {
            request.pause();
            RequestBody.takenLater();
        }
        var unused = caller.onComplete(over -> {
            try {
                if (over.succeeded()) {
                    identified.handle(over.result());
                } else {
                    refused.handle(over.cause());
                }
            } finally {
                if (waits) {
                    request.resume(); // the handlers for its body are set
                }
            }
        });
    }

    private Future<Caller> identify(HttpServerRequest request) {
        try {
            String address = address(request);
            String token = token(request);
            requireKnownTokens(token);
            return token == null ? local(request, address) : Future.succeededFuture(holder(token, address));
        } catch (HttpProblemException e) {
            return Future.failedFuture(e);
        }
    }

    /**
     * Requires {@code permission}.
     *
     * @throws HttpProblemException 403, naming the required role
     */
    public void require(Caller caller, Permission permission) {
        try {
            caller.require(permission);
        } catch (HttpProblemException e) {
            refused.count(Reason.ROLE);
            throw e;
        }
    }

    /**
     * Requires that a call of the data plane may give hits back. Without any token everyone may; otherwise a token with
     * the permission is required.
     *
     * @throws HttpProblemException 401, 403, 429 or 503
     */
    public void requireToGiveBack(HttpServerRequest request) {
        requireOnDataPlane(request, Permission.GIVE_BACK);
    }

    /**
     * Requires that a call of the data plane may report the load of a service, which lowers limits. Without any token
     * everyone may; otherwise a token with the permission is required, also from this machine.
     *
     * @throws HttpProblemException 401, 403, 429 or 503
     */
    public void requireToReportLoad(HttpServerRequest request) {
        requireOnDataPlane(request, Permission.REPORT_LOAD);
    }

    private void requireOnDataPlane(HttpServerRequest request, Permission permission) {
        if (!mayListenAnywhere()) {
            return;
        }
        String token = token(request);
        requireKnownTokens(token);
        if (token == null) {
            throw noToken("a token is required to " + permission.words() + " (expected: Authorization: Bearer weir_…)");
        }
        require(holder(token, address(request)), permission);
    }

    /**
     * Refuses everybody but the holder of the fixed token if a damaged database has lost the tokens: without them nobody
     * can be told from somebody who must not get in.
     */
    private void requireKnownTokens(@Nullable String token) {
        String lost = tokenCache == null ? null : tokenCache.lost();
        if (lost != null && (fixed == null || token == null || !fixed.matches(token))) {
            refused.count(token == null ? Reason.NO_TOKEN : Reason.WRONG_TOKEN);
            throw HttpProblemException.unavailable(lost);
        }
    }

    /** Counts a call that was refused because a page of another site made it. */
    public void crossSite() {
        refused.count(Reason.CROSS_SITE);
    }

    private Future<Caller> local(HttpServerRequest request, String address) {
        // Behind a proxy on this machine, every caller would seem to be local.
        if (isForwarded(request) || !LoopbackHost.isAddress(address)) {
            throw noToken("a token is required from other machines and through a proxy"
                    + " (expected: Authorization: Bearer weir_…)");
        }
        // A foreign page can point a host name of its own at 127.0.0.1 and read from here through the operator's
        // browser.
        if (!LoopbackHost.isNamedBy(request.authority())) {
            refused.count(Reason.HOST);
            throw HttpProblemException.forbidden(
                    "Host: not a loopback name (expected: localhost, 127.0.0.1 or [::1], or a token)");
        }
        return peers.isOwn(request).map(own -> local(request, address, own));
    }

    private Caller local(HttpServerRequest request, String address, boolean own) {
        // A proxy that adds no header, such as nginx's plain proxy_pass, is another user's process.
        if (!own) {
            throw noToken("a token is required from a process of another user, such as a proxy"
                    + " (expected: Authorization: Bearer weir_…, or a call by the user that runs the server)");
        }
        String claimed = HeaderText.of(request.getHeader("X-Weir-Author"));
        boolean everything = fixed == null && (tokenCache == null || (tokenCache.isRead() && !tokenCache.hasAdmin()));
        return new Caller(
                claimed.isEmpty() ? "unknown" : claimed + " (claimed)",
                everything ? Role.ADMIN : Role.VIEWER,
                address,
                false);
    }

    /** Whether a proxy has forwarded the request. HTTP/1.0 is what nginx speaks to upstreams by default. */
    private static boolean isForwarded(HttpServerRequest request) {
        if (request.version() == HttpVersion.HTTP_1_0) {
            return true;
        }
        for (String each : request.headers().names()) {
            String name = each.toLowerCase(Locale.ROOT);
            if (PROXIES.contains(name) || name.startsWith(PROXY_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    private Caller holder(String token, String address) {
        // The fixed token is never throttled by others' attempts; it is too long to be guessed at any rate.
        if (fixed != null && fixed.matches(token)) {
            return new Caller(Tokens.FIXED, Role.ADMIN, address, true);
        }
        String id = TokenText.idOf(token);
        boolean known = tokenCache != null && tokenCache.knows(id);
        String tokenId = known ? id : "";
        long wait = attempts.wait(address, tokenId);
        if (wait > 0) {
            refused.count(Reason.THROTTLED);
            throw HttpProblemException.tooManyRequests("too many wrong tokens from this address", wait);
        }
        Found found = tokenCache == null ? new Found.Unknown() : tokenCache.find(token, Instant.now());
        if (found instanceof Found.Known valid) {
            return new Caller(valid.token().name(), valid.token().role(), address, true);
        }
        attempts.failed(address, tokenId);
        if (found instanceof Found.Expired expired) {
            refused.count(Reason.EXPIRED_TOKEN);
            throw unauthorized("the token expired at " + expired.token().expiresAt(), ", error=\"invalid_token\"");
        }
        refused.count(Reason.WRONG_TOKEN);
        throw unauthorized(unknownToken(), ", error=\"invalid_token\"");
    }

    private String unknownToken() {
        return tokenCache == null || tokenCache.isRead()
                ? "invalid token"
                : "invalid token, or one of the database, which this server has not reached since its start"
                        + " (expected: the token in WEIR_ADMIN_TOKEN or admin_token_file)";
    }

    private HttpProblemException noToken(String detail) {
        refused.count(Reason.NO_TOKEN);
        return unauthorized(detail, "");
    }

    private static HttpProblemException unauthorized(String detail, String more) {
        return HttpProblemException.unauthorized(detail, "Bearer realm=\"" + REALM + "\"" + more);
    }

    /** The token of the request, or null. Another scheme than Bearer counts as an invalid token. */
    private static @Nullable String token(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null) {
            return null;
        }
        boolean bearer = header.toLowerCase(Locale.ROOT).startsWith(SCHEME);
        return bearer ? header.substring(SCHEME.length()).strip() : "";
    }

    private static String address(HttpServerRequest request) {
        SocketAddress remote = request.remoteAddress();
        return remote == null ? "" : String.valueOf(remote.hostAddress());
    }
}
