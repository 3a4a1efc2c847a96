package dev.weir.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Map;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;

/** A real servlet container on a free port, with one filter in front of servlets. */
interface Container extends Closeable {

    int port();

    /** Starts Tomcat: the one on the class path. */
    static Container tomcat(Filter filter, Map<String, HttpServlet> servlets) throws Exception {
        Path folder = Files.createTempDirectory("weir-tomcat");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().addUpgradeProtocol(new Http2Protocol());
        Context context = tomcat.addContext("", folder.toString());
        servlets.forEach((path, servlet) -> {
            var wrapper = Tomcat.addServlet(context, path, servlet);
            wrapper.setAsyncSupported(true);
            context.addServletMappingDecoded(path, path);
        });
        FilterDef definition = new FilterDef();
        definition.setFilter(filter);
        definition.setFilterName("weir");
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName("weir");
        map.addURLPattern("/*");
        for (DispatcherType each : DispatcherType.values()) {
            map.setDispatcher(each.name());
        }
        context.addFilterMap(map);
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        return new Container() {
            @Override
            public int port() {
                return port;
            }

            @Override
            public void close() throws IOException {
                try {
                    tomcat.stop();
                    tomcat.destroy();
                } catch (LifecycleException e) {
                    throw new IOException(e);
                }
                try (var files = Files.walk(folder)) {
                    files.sorted(Comparator.reverseOrder())
                            .forEach(each -> each.toFile().delete());
                }
            }
        };
    }

    static Container jetty(Filter filter, Map<String, HttpServlet> servlets) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        servlets.forEach((path, servlet) -> {
            ServletHolder holder = new ServletHolder(servlet);
            holder.setAsyncSupported(true);
            context.addServlet(holder, path);
        });
        FilterHolder holder = new FilterHolder(filter);
        holder.setAsyncSupported(true);
        context.addFilter(holder, "/*", EnumSet.allOf(DispatcherType.class));
        server.setHandler(context);
        server.start();
        int port = connector.getLocalPort();
        return new Container() {
            @Override
            public int port() {
                return port;
            }

            @Override
            public void close() throws IOException {
                LifeCycle.stop(server);
            }
        };
    }
}
