package dev.weir.server.access;

import dev.weir.TimeSource;
import dev.weir.control.token.Role;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.TokenCache.Found;
import dev.weir.control.token.TokenText;
import dev.weir.control.token.Tokens;
import dev.weir.server.access.RefusedCalls.Reason;
import dev.weir.server.http.HttpProblemException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells who calls, from memory alone.
 *
 * <p><b>Without a token</b> a call is answered only if it comes from this machine: while there is no token for admins it may do
 * everything, and once there is one it may look. A token that has run out still counts: that it did must not open a door.
 *
 * <p><b>With a token</b> the address does not matter, the token's role does.
 */
public final class AccessControl {
    /** What proxies add to what they pass on. */
    private static final List<String> PROXIES = List.of("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via");

    private static final String SCHEME = "bearer ";
    private static final String KNOWN_AS = "weir";

    private final @Nullable TokenCache book;
    private final @Nullable FixedToken fixed;
    private final WrongTokenThrottle attempts;
    private final RefusedCalls refused = new RefusedCalls();

    /**
     * Access by these tokens.
     *
     * @param book those of a database; null where there is none
     * @param fixed the one of the settings; null where there is none
     */
    public AccessControl(@Nullable TokenCache book, @Nullable FixedToken fixed, TimeSource time) {
        this.book = book;
        this.fixed = fixed;
        this.attempts = new WrongTokenThrottle(time);
    }

    /** Access where nobody has set a token. */
    public static AccessControl open() {
        return new AccessControl(null, null, TimeSource.system());
    }

    /** Who was turned away. */
    public RefusedCalls refused() {
        return refused;
    }

    /** How many tokens there are. */
    public int tokens() {
        return (fixed == null ? 0 : 1) + (book == null ? 0 : book.size());
    }

    /** Whether the admin port may listen to other machines: there is a token, or it is not known yet whether there is. */
    public boolean mayListenAnywhere() {
        return tokens() > 0 || (book != null && !book.isRead());
    }

    /**
     * Who calls the admin port.
     *
     * @throws HttpProblemException 401 or 429 for a token that opens nothing; 401 and 403 for none where one is needed
     */
    public Caller identify(HttpServerRequest request) {
        String address = address(request);
        String token = token(request);
        return token == null ? local(request, address) : holder(token, address);
    }

    /**
     * Passes if the call may do that.
     *
     * @throws HttpProblemException 403, naming the role that it takes
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
     * Passes if a call of the data plane may give hits back: anybody may while there is no token, then only who has one.
     *
     * @throws HttpProblemException 401, 403 or 429
     */
    public void requireToGiveBack(HttpServerRequest request) {
        if (!mayListenAnywhere()) {
            return;
        }
        String token = token(request);
        if (token == null) {
            throw noToken("to give hits back takes a token, now that there are tokens");
        }
        require(holder(token, address(request)), Permission.GIVE_BACK);
    }

    /** Counts a call that was turned away for what a browser says of it. */
    public void crossSite() {
        refused.count(Reason.CROSS_SITE);
    }

    private Caller local(HttpServerRequest request, String address) {
        // Behind a proxy on this machine, everybody would come from here.
        boolean passedOn = PROXIES.stream().anyMatch(each -> request.getHeader(each) != null);
        if (passedOn || !LoopbackHost.isAddress(address)) {
            throw noToken("without a token only this machine is answered (expected: Authorization: Bearer weir_…)");
        }
        // A page elsewhere can point a name of its own at 127.0.0.1 and read from here through the operator's browser.
        if (!LoopbackHost.isNamedBy(request.authority())) {
            refused.count(Reason.HOST);
            throw HttpProblemException.forbidden("Host: expected localhost, 127.0.0.1 or [::1], or a token");
        }
        String claimed = HeaderText.of(request.getHeader("X-Weir-Author"));
        boolean everything = fixed == null && (book == null || (book.isRead() && !book.hasAdmin()));
        return new Caller(
                claimed.isEmpty() ? "unknown" : claimed + " (claimed)",
                everything ? Role.ADMIN : Role.VIEWER,
                address,
                false);
    }

    private Caller holder(String token, String address) {
        // The way back in is never locked out by others who try; it is too long to be guessed, however fast.
        if (fixed != null && fixed.matches(token)) {
            return new Caller(Tokens.FIXED, Role.ADMIN, address, true);
        }
        String id = TokenText.idOf(token);
        boolean known = book != null && book.knows(id);
        String which = known ? id : "";
        long wait = attempts.wait(address, which);
        if (wait > 0) {
            refused.count(Reason.THROTTLED);
            throw HttpProblemException.tooManyRequests("too many wrong tokens from this address", wait);
        }
        Found found = book == null ? new Found.Unknown() : book.find(token, Instant.now());
        if (found instanceof Found.Known opens) {
            return new Caller(opens.token().name(), opens.token().role(), address, true);
        }
        attempts.failed(address, which);
        if (found instanceof Found.Expired over) {
            refused.count(Reason.EXPIRED_TOKEN);
            throw unauthorized("the token ran out at " + over.token().expiresAt(), ", error=\"invalid_token\"");
        }
        refused.count(Reason.WRONG_TOKEN);
        throw unauthorized("this token opens nothing here", ", error=\"invalid_token\"");
    }

    private HttpProblemException noToken(String detail) {
        refused.count(Reason.NO_TOKEN);
        return unauthorized(detail, "");
    }

    private static HttpProblemException unauthorized(String detail, String more) {
        return HttpProblemException.unauthorized(detail, "Bearer realm=\"" + KNOWN_AS + "\"" + more);
    }

    /** What the caller presents, or null. Another scheme is a token that opens nothing. */
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
