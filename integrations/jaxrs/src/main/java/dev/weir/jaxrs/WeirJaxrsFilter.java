package dev.weir.jaxrs;

import dev.weir.http.HttpLimiter;
import dev.weir.http.LimitedCall;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.WriterInterceptor;
import jakarta.ws.rs.ext.WriterInterceptorContext;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the HTTP calls of a JAX-RS application by rules: Jersey, RESTEasy.
 *
 * <p>Register an instance, or extend it and annotate the class with {@code @Provider}. It stands behind authentication
 * filters and before authorization. It sees the calls that match a resource. A call that may not pass is answered with 429,
 * 503 or 403 and a problem document; the others get the {@code RateLimit} headers. Permits of {@code concurrency} rules are
 * released once, when the response has been written.
 *
 * <p>JAX-RS does not know the address of the peer. To limit by {@code ip}, override {@link #peer}.
 */
@Priority(Priorities.AUTHENTICATION + 500)
public class WeirJaxrsFilter implements ContainerRequestFilter, ContainerResponseFilter, WriterInterceptor {
    /** The request property that holds the {@link LimitedCall} while the application serves the call. */
    public static final String CALL = "dev.weir.call";

    /** The request property of a call under a shadow ban: {@code Boolean.TRUE}. The caller must not see it. */
    public static final String SHADOW_BANNED = "dev.weir.shadow_banned";

    private static final String STATUS = "dev.weir.status";
    /** Statuses whose responses have no body, whatever the application gave. */
    private static final Set<Integer> WITHOUT_BODY = Set.of(204, 205, 304);

    private final HttpLimiter limiter;

    @Context
    @Nullable
    ResourceInfo resource;

    /** Creates a filter that asks {@code limiter}. */
    public WeirJaxrsFilter(HttpLimiter limiter) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
    }

    /** The address that the connection comes from; null if it is not known, and then the call has no {@code ip}. */
    protected @Nullable String peer(ContainerRequestContext request) {
        return null;
    }

    /** Writes the response of a call that may not pass: by default status, headers and problem document of the denial. */
    protected Response denied(LimitedCall denied) {
        Response.ResponseBuilder response = Response.status(denied.status());
        List<String> headers = denied.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            response.header(headers.get(i), headers.get(i + 1));
        }
        return response.type(LimitedCall.PROBLEM).entity(denied.body()).build();
    }

    /** Decides the call. */
    @Override
    public void filter(ContainerRequestContext request) throws IOException {
        LimitedCall call = limiter.decide(new JaxrsCall(request, peer(request), route()));
        if (!call.allowed()) {
            request.abortWith(denied(call));
            return;
        }
        request.setProperty(CALL, call);
        if (call.shadowBanned()) {
            request.setProperty(SHADOW_BANNED, true);
        }
    }

    /** Adds the headers, and ends a call whose response has no body. */
    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) throws IOException {
        if (!(request.getProperty(CALL) instanceof LimitedCall call)) {
            return;
        }
        List<String> headers = call.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            response.getHeaders().putSingle(headers.get(i), headers.get(i + 1));
        }
        if (!response.hasEntity()
                || request.getMethod().equals("HEAD")
                || WITHOUT_BODY.contains(response.getStatus())) {
            call.ended(response.getStatus());
        } else {
            request.setProperty(STATUS, response.getStatus());
        }
    }

    /** Ends the call when its response has been written, or could not be. */
    @Override
    public void aroundWriteTo(WriterInterceptorContext response) throws IOException {
        try {
            response.proceed();
        } finally {
            if (response.getProperty(CALL) instanceof LimitedCall call) {
                call.ended(response.getProperty(STATUS) instanceof Integer status ? status : 500);
            }
        }
    }

    /** The pattern of the resource, such as {@code /orders/{id}}; null if the call was routed by sub-resources. */
    private @Nullable String route() {
        if (resource == null || resource.getResourceClass() == null || resource.getResourceMethod() == null) {
            return null;
        }
        Path type = null;
        for (Class<?> c = resource.getResourceClass(); c != null && type == null; c = c.getSuperclass()) {
            type = c.getAnnotation(Path.class); // a container may have made a subclass
        }
        Path method = resource.getResourceMethod().getAnnotation(Path.class);
        if (type == null) {
            return null;
        }
        return slashed(type.value()) + (method == null ? "" : slashed(method.value()));
    }

    private static String slashed(String path) {
        String bare = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return bare.isEmpty() || bare.startsWith("/") ? bare : '/' + bare;
    }
}
