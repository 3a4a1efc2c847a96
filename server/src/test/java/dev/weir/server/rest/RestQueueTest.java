package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import io.vertx.core.json.JsonObject;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RestQueueTest {
    private static final String BODY = "{\"user_id\":\"u\",\"endpoint\":\"/queue\"}";

    private final RestKit kit = new RestKit(WrittenRules.builder()
            .weir(
                    "api",
                    List.of(
                            calls(),
                            new WeirRule(
                                    Rule.builder("api", "queue")
                                            .name("queue")
                                            .label("queue")
                                            .limit(Limit.tokenBucket(1, Duration.ofSeconds(1)))
                                            .queue(new QueueBounds(20_000_000, 100))
                                            .build(),
                                    List.of(Condition.of("endpoint", "/queue")),
                                    KeyBy.of("user_id"))))
            .build());

    private static WeirRule calls() {
        Rule rule = Rule.builder("api", "calls")
                .name("calls")
                .label("calls")
                .limit(Limit.concurrency(3, Duration.ofHours(1)))
                .build();
        return new WeirRule(rule, List.of(Condition.of("endpoint", "/queue")), KeyBy.of("user_id"));
    }

    @AfterEach
    void close() {
        kit.close();
    }

    private Socket waiting(String field) throws Exception {
        return waiting("/v1/ratelimit/check", field);
    }

    private Socket waiting(String path, String field) throws Exception {
        int before = kit.queues.waiting();
        Socket socket = kit.connect();
        socket.getOutputStream()
                .write(("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY.length() + "\r\n" + field
                                + "\r\n" + BODY)
                        .getBytes(US_ASCII));
        await().until(() -> kit.queues.waiting() == before + 1);
        return socket;
    }

    @Test
    void aCallerThatDisconnectsGivesUpItsPlace() throws Exception {
        assertThat(kit.check(BODY).statusCode()).isEqualTo(200);
        waiting("").close();
        await().until(() -> kit.queues.waiting() == 0);
    }

    @Test
    void anAcquireWaitsForItsTurnAndThenTakesItsPermit() throws Exception {
        assertThat(kit.post("/v1/concurrency/acquire", BODY).statusCode()).isEqualTo(200);
        waiting("/v1/concurrency/acquire", "").close();
        await().until(() -> kit.queues.waiting() == 0);
        CompletableFuture<HttpResponse<String>> next =
                CompletableFuture.supplyAsync(() -> kit.post("/v1/concurrency/acquire", BODY));
        await().until(() -> kit.queues.waiting() == 1);
        assertThat(inFlight()).as("a request that waits has no permit").isEqualTo(1);
        await().until(() -> {
            kit.advance(Duration.ofSeconds(1));
            return next.isDone();
        });
        HttpResponse<String> answer = next.get(1, TimeUnit.SECONDS);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(inFlight()).isEqualTo(2);
        assertThat(json(kit.post("/v1/concurrency/release", answer.body())).getBoolean("released"))
                .isTrue();
    }

    private int inFlight() {
        return json(kit.get("/v1/ratelimit/status/u?endpoint=/queue")).getJsonArray("limits").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("name").equals("calls"))
                .findFirst()
                .orElseThrow()
                .getInteger("in_flight");
    }

    @Test
    void aRetryWithTheSameKeyGetsTheAnswerToTheRequestWhoseCallerDisconnected() throws Exception {
        assertThat(kit.check(BODY).statusCode()).isEqualTo(200);
        Socket other = waiting("");
        waiting("Idempotency-Key: k\r\n").close();
        other.close();
        await().until(() -> kit.queues.waiting() == 1); // the server has noticed both
        CompletableFuture<HttpResponse<String>> retry =
                CompletableFuture.supplyAsync(() -> kit.check(BODY, "Idempotency-Key", "k"));
        await().until(() -> {
            kit.advance(Duration.ofSeconds(1));
            return retry.isDone();
        });
        HttpResponse<String> answer = retry.get(1, TimeUnit.SECONDS);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(header(answer, "Idempotent-Replayed")).isEqualTo("true");
        assertThat(kit.queues.waiting()).isZero();
    }
}
