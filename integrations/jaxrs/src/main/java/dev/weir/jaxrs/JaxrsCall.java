package dev.weir.jaxrs;

import dev.weir.http.HttpCall;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.SecurityContext;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A JAX-RS request, as an {@link HttpCall}. */
final class JaxrsCall implements HttpCall {
    private final ContainerRequestContext request;
    private final @Nullable String peer;
    private final @Nullable String route;

    JaxrsCall(ContainerRequestContext request, @Nullable String peer, @Nullable String route) {
        this.request = request;
        this.peer = peer;
        this.route = route;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        String path = request.getUriInfo().getRequestUri().getRawPath();
        return path == null || path.isEmpty() ? "/" : path;
    }

    @Override
    public List<String> headers(String name) {
        List<String> values = request.getHeaders().get(name);
        return values == null ? List.of() : values;
    }

    @Override
    public @Nullable String peer() {
        return peer;
    }

    @Override
    public @Nullable String user() {
        SecurityContext security = request.getSecurityContext();
        Principal user = security == null ? null : security.getUserPrincipal();
        return user == null ? null : user.getName();
    }

    @Override
    public @Nullable String route() {
        return route;
    }

    @Override
    public @Nullable Object attachment(String name) {
        return request.getProperty(name);
    }
}
