package dev.weir.jaxrs;

import io.undertow.Undertow;
import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import jakarta.ws.rs.ext.RuntimeDelegate;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jboss.resteasy.core.providerfactory.ResteasyProviderFactoryImpl;
import org.jboss.resteasy.plugins.server.undertow.UndertowJaxrsServer;

class ResteasyCallsTest extends JaxrsContract {
    private final OpenServer server = new OpenServer();

    /** Tells the port that it was given. */
    private static final class OpenServer extends UndertowJaxrsServer {
        int port() {
            return ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        }
    }

    /** The filter and the resource. */
    @ApplicationPath("/")
    private static final class Shop extends Application {
        private final Set<Object> singletons;

        Shop(Object... singletons) {
            this.singletons = Set.of(singletons);
        }

        @Override
        @SuppressWarnings("deprecation") // for instances that are not beans
        public Set<Object> getSingletons() {
            return singletons;
        }
    }

    @Override
    int start(WeirJaxrsFilter filter, CallsResource resource) {
        RuntimeDelegate.setInstance(new ResteasyProviderFactoryImpl()); // Jersey is on the class path, too
        server.start(Undertow.builder().addHttpListener(0, "127.0.0.1"));
        server.deploy(new Shop(filter, resource));
        return server.port();
    }

    @Override
    void stop() {
        server.stop();
    }
}
