package dev.weir.control.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes to an etcd through its HTTP gateway: not with the client that is tested. */
public final class EtcdWriter {
    private static final Pattern REVISION = Pattern.compile("\"revision\":\"(\\d+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();
    private final int port;

    EtcdWriter(int port) {
        this.port = port;
    }

    boolean isUp() {
        try {
            return post("/v3/kv/range", "{\"key\":\"" + base64("x") + "\"}").statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Writes a key; the revision that it is at now. */
    public long put(String key, String value) throws IOException, InterruptedException {
        return revision(sent("/v3/kv/put", put64(key, value)));
    }

    /** Writes several keys in one transaction. */
    public long putAll(Map<String, String> values) throws IOException, InterruptedException {
        return revision(sent("/v3/kv/txn", transaction(values)));
    }

    /** Writes without waiting; the future fails if etcd refuses. */
    public CompletableFuture<?> putAllSoon(Map<String, String> values) {
        return http.sendAsync(request("/v3/kv/txn", transaction(values)), BodyHandlers.ofString())
                .thenAccept(answer -> {
                    if (answer.statusCode() != 200) {
                        throw new IllegalStateException(answer.body());
                    }
                });
    }

    private static String transaction(Map<String, String> values) {
        String puts = values.entrySet().stream()
                .map(each -> "{\"request_put\":" + put64(each.getKey(), each.getValue()) + "}")
                .collect(Collectors.joining(","));
        return "{\"success\":[" + puts + "]}";
    }

    public void delete(String key) throws IOException, InterruptedException {
        sent("/v3/kv/deleterange", "{\"key\":\"" + base64(key) + "\"}");
    }

    /** Forgets all that was before {@code revision}. */
    public void compact(long revision) throws IOException, InterruptedException {
        sent("/v3/kv/compaction", "{\"revision\":\"" + revision + "\",\"physical\":true}");
    }

    /** Turns authentication on; {@code user} may do everything. */
    public void requirePassword(String user, String password) throws IOException, InterruptedException {
        addUser("root", password);
        addUser(user, password);
        for (String each : new String[] {"root", user}) {
            sent("/v3/auth/user/grant", "{\"user\":\"" + each + "\",\"role\":\"root\"}");
        }
        sent("/v3/auth/enable", "{}");
    }

    private void addUser(String user, String password) throws IOException, InterruptedException {
        sent("/v3/auth/user/add", "{\"name\":\"" + user + "\",\"password\":\"" + password + "\"}");
    }

    private static String put64(String key, String value) {
        return "{\"key\":\"" + base64(key) + "\",\"value\":\"" + base64(value) + "\"}";
    }

    private String sent(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> answer = post(path, body);
        if (answer.statusCode() != 200) {
            throw new IOException(path + ": " + answer.body());
        }
        return answer.body();
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.send(request(path, body), BodyHandlers.ofString());
    }

    private HttpRequest request(String path, String body) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20))
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private static long revision(String answer) {
        Matcher matcher = REVISION.matcher(answer);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
