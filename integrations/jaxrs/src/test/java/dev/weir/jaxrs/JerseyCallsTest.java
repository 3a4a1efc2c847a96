package dev.weir.jaxrs;

import io.undertow.Undertow;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentManager;
import io.undertow.servlet.util.ImmediateInstanceFactory;
import jakarta.servlet.ServletException;
import jakarta.ws.rs.ext.RuntimeDelegate;
import java.net.InetSocketAddress;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.internal.RuntimeDelegateImpl;
import org.glassfish.jersey.servlet.ServletContainer;
import org.jspecify.annotations.Nullable;

class JerseyCallsTest extends JaxrsContract {
    private @Nullable Undertow server;

    @Override
    int start(WeirJaxrsFilter filter, CallsResource resource) throws ServletException {
        RuntimeDelegate.setInstance(new RuntimeDelegateImpl()); // RESTEasy is on the class path, too
        ServletContainer jersey =
                new ServletContainer(new ResourceConfig().register(filter).register(resource));
        DeploymentManager deployment = Servlets.defaultContainer()
                .addDeployment(Servlets.deployment()
                        .setClassLoader(JerseyCallsTest.class.getClassLoader())
                        .setContextPath("/")
                        .setDeploymentName("jersey")
                        .addServlet(Servlets.servlet(
                                        "jersey", ServletContainer.class, new ImmediateInstanceFactory<>(jersey))
                                .addMapping("/*")
                                .setAsyncSupported(true)));
        deployment.deploy();
        server = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setHandler(deployment.start())
                .build();
        server.start();
        return ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
    }

    @Override
    void stop() {
        if (server != null) {
            server.stop();
        }
    }
}
