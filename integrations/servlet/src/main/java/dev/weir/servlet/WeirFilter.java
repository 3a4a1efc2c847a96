package dev.weir.servlet;

import dev.weir.Weir;
import dev.weir.http.ForwardedHeader;
import dev.weir.http.HttpLimiter;
import dev.weir.http.LimitedCall;
import dev.weir.rules.Rules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Limits the HTTP calls of a servlet application by rules.
 *
 * <p>Register it for {@link DispatcherType#REQUEST} with {@code asyncSupported}. A call that may not pass is answered with
 * 429, 503 or 403 and a problem document; the others get the {@code RateLimit} headers. Permits of {@code concurrency}
 * rules are released once, when the call has ended: after an asynchronous response, an error or a time-out.
 *
 * <p>In a {@code web.xml} the filter has these parameters: {@code rules} (a rule file or folder, required), {@code domain},
 * {@code trusted-proxies} (addresses and blocks, separated by commas), {@code forwarded-header}
 * ({@code x-forwarded-for} or {@code forwarded}).
 */
public final class WeirFilter implements Filter {
    /** The request attribute that holds the {@link LimitedCall} while the application serves the call. */
    public static final String CALL = "dev.weir.call";

    /** The request attribute of a call under a shadow ban: {@code Boolean.TRUE}. The caller must not see it. */
    public static final String SHADOW_BANNED = "dev.weir.shadow_banned";

    /** The request attribute from which the attribute {@code route} is read, for filters that know the route before. */
    public static final String ROUTE = "dev.weir.route";

    private static final Set<String> PARAMETERS = Set.of("rules", "domain", "trusted-proxies", "forwarded-header");

    private final DenialResponse denial;
    private @Nullable HttpLimiter limiter;
    /** Set if this filter opened it, and has to close it. */
    private @Nullable Weir own;

    /** Creates a filter that opens the rules of its parameters; for a {@code web.xml}. */
    public WeirFilter() {
        denial = DenialResponse.PROBLEM;
    }

    /** Creates a filter that asks {@code limiter}, which stays open when the filter ends. */
    public WeirFilter(HttpLimiter limiter) {
        this(limiter, DenialResponse.PROBLEM);
    }

    /** Creates a filter that answers denials with {@code denial}. */
    public WeirFilter(HttpLimiter limiter, DenialResponse denial) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.denial = Objects.requireNonNull(denial, "denial");
    }

    /** Opens the rules, unless the filter was created with a limiter. */
    @Override
    public void init(FilterConfig config) throws ServletException {
        if (limiter != null) {
            return;
        }
        for (String name : Collections.list(config.getInitParameterNames())) {
            if (!PARAMETERS.contains(name)) {
                throw new ServletException("WeirFilter: unknown parameter '" + name + "' (expected: "
                        + String.join(", ", new TreeSet<>(PARAMETERS)) + ")");
            }
        }
        String rules = config.getInitParameter("rules");
        if (rules == null || rules.isBlank()) {
            throw new ServletException("WeirFilter: parameter 'rules' is missing (expected: a rule file or folder)");
        }
        try {
            Path path = Path.of(rules);
            own = Weir.open(path.toFile().isDirectory() ? Rules.folder(path) : Rules.file(path));
            limiter = limiter(own, config);
        } catch (IllegalArgumentException e) {
            destroy();
            throw new ServletException("WeirFilter: " + e.getMessage(), e);
        }
    }

    private static HttpLimiter limiter(Weir weir, FilterConfig config) {
        HttpLimiter.Builder builder = HttpLimiter.builder(weir);
        String domain = config.getInitParameter("domain");
        if (domain != null) {
            builder.domain(domain);
        }
        String proxies = config.getInitParameter("trusted-proxies");
        if (proxies != null) {
            List<String> blocks =
                    Arrays.stream(proxies.split(",")).map(String::strip).toList();
            builder.trustedProxies(blocks, header(config.getInitParameter("forwarded-header")));
        }
        return builder.build();
    }

    private static ForwardedHeader header(@Nullable String name) {
        if (name == null || name.equalsIgnoreCase("x-forwarded-for")) {
            return ForwardedHeader.X_FORWARDED_FOR;
        }
        if (name.equalsIgnoreCase("forwarded")) {
            return ForwardedHeader.FORWARDED;
        }
        throw new IllegalArgumentException("forwarded-header: " + name + " (expected: x-forwarded-for or forwarded)");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer
                && request.getDispatcherType() == DispatcherType.REQUEST) {
            limit(http, answer, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void limit(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        LimitedCall call =
                Objects.requireNonNull(limiter, "init was not called").decide(new ServletCall(request));
        List<String> headers =
                request.getAttribute(CALL) instanceof LimitedCall earlier ? call.headersAfter(earlier) : call.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            response.setHeader(headers.get(i), headers.get(i + 1));
        }
        if (!call.allowed()) {
            response.setStatus(call.status());
            denial.write(call, request, response);
            return;
        }
        request.setAttribute(CALL, call);
        if (call.shadowBanned()) {
            request.setAttribute(SHADOW_BANNED, true);
        }
        boolean returned = false;
        try {
            chain.doFilter(request, response);
            returned = true;
        } finally {
            // If the chain threw after startAsync, Tomcat completes the call without telling listeners.
            if (!returned || !request.isAsyncStarted() || !endsLater(call, request, response)) {
                call.ended(returned ? response.getStatus() : HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            }
        }
    }

    /** Lets the end of an asynchronous call end {@code call}; false if it has ended already. */
    private static boolean endsLater(LimitedCall call, HttpServletRequest request, HttpServletResponse response) {
        try {
            request.getAsyncContext().addListener(new CallEnd(call, request, response));
            return true;
        } catch (IllegalStateException e) {
            return false; // another thread completed it just now
        }
    }

    /** Closes the rules that {@link #init} opened. */
    @Override
    public void destroy() {
        if (own != null) {
            own.close();
        }
    }
}
