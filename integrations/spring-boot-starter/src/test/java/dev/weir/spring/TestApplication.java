package dev.weir.spring;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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

    /**
     * Gets {@code path} three times on one connection, twice at once and again after both responses, and returns the statuses.
     * Headers are given as names and values in turn.
     */
    List<Integer> getPipelined(String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n");
        for (int i = 0; i < headers.length; i += 2) {
            request.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        byte[] once = request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] twice = Arrays.copyOf(once, once.length * 2);
        System.arraycopy(once, 0, twice, once.length, once.length);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(30_000);
            InputStream responses = new BufferedInputStream(socket.getInputStream());
            socket.getOutputStream().write(twice);
            int first = readStatus(responses);
            int second = readStatus(responses);
            socket.getOutputStream().write(once);
            return List.of(first, second, readStatus(responses));
        }
    }

    /** Reads a response, whose body has a {@code Content-Length}, and returns its status. */
    private static int readStatus(InputStream responses) throws IOException {
        int status = Integer.parseInt(readLine(responses).split(" ", 3)[1]);
        int length = 0;
        for (String line = readLine(responses); !line.isEmpty(); line = readLine(responses)) {
            String[] field = line.split(":", 2);
            if (field[0].equalsIgnoreCase("Content-Length")) {
                length = Integer.parseInt(field[1].strip());
            }
        }
        responses.skipNBytes(length);
        return status;
    }

    private static String readLine(InputStream responses) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = responses.read(); each != '\n'; each = responses.read()) {
            if (each < 0) {
                throw new EOFException("the connection ended after: " + line);
            }
            line.append((char) each);
        }
        return line.toString().strip();
    }

    @Override
    public void close() {
        context.close();
    }
}
