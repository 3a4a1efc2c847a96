package shop;

import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.jaxrs.WeirJaxrsFilter;
import dev.weir.rules.Rules;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;
import java.nio.file.Path;

/** Limits every call by the rules of a file, which is watched. */
@Provider
public class Limits extends WeirJaxrsFilter {
    @Context
    HttpServerRequest connection;

    public Limits() {
        super(HttpLimiter.builder(Weir.open(Rules.file(Path.of("rules.yaml")))).build());
    }

    @Override
    protected String peer(ContainerRequestContext request) {
        return connection.remoteAddress().hostAddress();
    }
}
