package shop;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Priority;
import dev.weir.Weir;
import dev.weir.http.HttpCall;
import dev.weir.http.HttpLimiter;
import dev.weir.rules.Rules;
import dev.weir.servlet.WeirFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** A shop whose every call meets four limiters. */
public final class Shop {
    public static void main(String[] args) throws Exception {
        Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));
        HttpLimiter limiter = HttpLimiter.builder(weir)
                .attributeFromHeader("tier", "X-Tier")
                .attributeFromHeader("peer_group", "X-Peer-Group")
                .shedder(LoadShedder.create(), Shop::priority)
                .build();
        serve(new WeirFilter(limiter));
    }

    private static Priority priority(HttpCall call) {
        if ("checkout".equals(call.header("X-Peer-Group"))) {
            return Priority.CRITICAL;
        }
        return call.method().equals("GET") ? Priority.READ : Priority.WRITE;
    }

    private static void serve(WeirFilter limits) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setPort(8080);
        tomcat.getConnector();
        Context context = tomcat.addContext("", null);

        FilterDef filter = new FilterDef();
        filter.setFilterName("weir");
        filter.setFilter(limits);
        filter.setAsyncSupported("true");
        context.addFilterDef(filter);
        FilterMap map = new FilterMap();
        map.setFilterName("weir");
        map.addURLPattern("/*");
        context.addFilterMap(map);

        Tomcat.addServlet(context, "shop", new Calls());
        context.addServletMappingDecoded("/*", "shop");
        tomcat.start();
        tomcat.getServer().await();
    }

    /** Serves every path; reports are slow. */
    static final class Calls extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getRequestURI().endsWith("/report")) {
                pause();
            }
            response.getWriter().println("done");
        }

        private static void pause() {
            try {
                Thread.sleep(3_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
