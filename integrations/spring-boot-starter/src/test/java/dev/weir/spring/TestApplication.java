package dev.weir.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A running application of the tests. Its types and those of its libraries exist in Spring Boot 3.5 and in 4.1, because the same
 * classes run on both.
 */
final class TestApplication implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final ConfigurableApplicationContext context;

    private TestApplication(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts {@code configuration} on a free port with {@code properties}, each as {@code name=value}. */
    static TestApplication start(WebApplicationType type, Class<?> configuration, String... properties) {
        return start(type, new Class<?>[] {configuration}, properties);
    }

    static TestApplication start(WebApplicationType type, Class<?>[] configurations, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "server.port=0",
                "spring.main.web-application-type=" + type.name().toLowerCase(Locale.ROOT),
                "spring.cloud.gateway.server.webflux.enabled=false",
                "server.shutdown=immediate"));
        all.addAll(List.of(properties));
        return new TestApplication(new SpringApplicationBuilder(configurations)
                .sources(TestSecurity.OnServlets.class, TestSecurity.OnWebFlux.class)
                .web(type)
                .bannerMode(Banner.Mode.OFF)
                .properties(all.toArray(String[]::new))
                .run());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Gets {@code path} with headers, given as names and values in turn. */
    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        context.close();
    }
}
