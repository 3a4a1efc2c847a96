package dev.weir.server.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.HttpCaller;
import dev.weir.server.ListeningService;
import dev.weir.server.conformance.RlsReply.Answer;
import dev.weir.server.conformance.RlsReply.CurrentLimit;
import dev.weir.server.conformance.RlsReply.Header;
import dev.weir.server.conformance.RlsReply.Refusal;
import dev.weir.server.conformance.RlsReply.Status;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The service as {@code POST /json} offers it; reads the answer strictly, so that a stray field is a failure. */
final class OverJson implements RateLimitServiceUnderTest {
    private final HttpCaller caller;

    OverJson(ListeningService server) {
        this.caller = new HttpCaller(server.httpPort());
    }

    @Override
    public RlsReply ask(String domain, RlsRequest ask) throws IOException, InterruptedException {
        HttpResponse<String> response = caller.post("/json", write(domain, ask).encode());
        if (response.statusCode() != 200 && response.statusCode() != 429) {
            return new Refusal(String.valueOf(response.statusCode()), response.body());
        }
        assertThat(response.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
        Answer answer = read(new JsonObject(response.body()));
        assertThat(response.statusCode()).isEqualTo(answer.code() == ProtocolCode.OVER_LIMIT ? 429 : 200);
        return answer;
    }

    @Override
    public void close() {}

    private static JsonObject write(String domain, RlsRequest ask) {
        JsonArray descriptors = new JsonArray();
        for (RlsRequest.Descriptor d : ask.descriptors()) {
            JsonArray entries = new JsonArray();
            d.entries()
                    .forEach(e ->
                            entries.add(new JsonObject().put("key", e.key()).put("value", e.value())));
            JsonObject descriptor = new JsonObject().put("entries", entries);
            RlsRequest.Given limit = d.limit();
            if (limit != null) {
                descriptor.put(
                        "limit",
                        new JsonObject()
                                .put("requestsPerUnit", limit.requestsPerUnit())
                                .put("unit", limit.unit().name()));
            }
            Long hits = d.hits();
            if (hits != null) {
                descriptor.put("hitsAddend", Long.toUnsignedString(hits));
            }
            if (d.negative()) {
                descriptor.put("isNegativeHits", true);
            }
            descriptors.add(descriptor);
        }
        JsonObject body = new JsonObject().put("domain", ask.domain(domain)).put("descriptors", descriptors);
        return ask.hits() == 0 ? body : body.put("hitsAddend", ask.hits());
    }

    private static Answer read(JsonObject body) {
        only(body, "overallCode", "statuses", "responseHeadersToAdd", "dynamicMetadata");
        List<Status> statuses = new ArrayList<>();
        for (Object o : body.getJsonArray("statuses", new JsonArray())) {
            JsonObject status = (JsonObject) o;
            only(status, "code", "currentLimit", "limitRemaining", "durationUntilReset");
            statuses.add(new Status(
                    ProtocolCode.valueOf(status.getString("code", "UNKNOWN")),
                    limit(status.getJsonObject("currentLimit")),
                    status.getLong("limitRemaining", 0L),
                    seconds(status.getString("durationUntilReset"))));
        }
        List<Header> headers = new ArrayList<>();
        for (Object o : body.getJsonArray("responseHeadersToAdd", new JsonArray())) {
            JsonObject header = (JsonObject) o;
            only(header, "key", "value");
            headers.add(new Header(header.getString("key"), header.getString("value")));
        }
        return new Answer(
                ProtocolCode.valueOf(body.getString("overallCode")),
                statuses,
                headers,
                body.getJsonObject("dynamicMetadata"));
    }

    private static @Nullable CurrentLimit limit(@Nullable JsonObject limit) {
        if (limit == null) {
            return null;
        }
        only(limit, "requestsPerUnit", "unit", "name");
        return new CurrentLimit(
                limit.getLong("requestsPerUnit", 0L),
                ProtocolUnit.valueOf(limit.getString("unit", "UNKNOWN")),
                limit.getString("name", ""));
    }

    private static @Nullable Long seconds(@Nullable String duration) {
        if (duration == null) {
            return null;
        }
        assertThat(duration).matches("\\d+s");
        return Long.valueOf(duration.substring(0, duration.length() - 1));
    }

    private static void only(JsonObject object, String... fields) {
        assertThat(object.fieldNames()).isSubsetOf(Set.of(fields));
    }
}
