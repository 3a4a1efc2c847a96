package shop;

import dev.weir.Weir;
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

/** A servlet behind the filter, in an embedded Tomcat. */
public final class Shop {
    public static void main(String[] args) throws Exception {
        Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));

        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setPort(8080);
        tomcat.getConnector();
        Context context = tomcat.addContext("", null);

        FilterDef filter = new FilterDef();
        filter.setFilterName("weir");
        filter.setFilter(new WeirFilter(HttpLimiter.builder(weir).build()));
        filter.setAsyncSupported("true");
        context.addFilterDef(filter);
        FilterMap map = new FilterMap();
        map.setFilterName("weir");
        map.addURLPattern("/*");
        context.addFilterMap(map);

        Tomcat.addServlet(context, "orders", new Orders()).setAsyncSupported(true);
        context.addServletMappingDecoded("/orders", "orders");
        tomcat.start();
        tomcat.getServer().await();
    }

    static final class Orders extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().println("your orders");
        }
    }
}
