package dev.weir.server.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;

/** Errors as RFC 9457 has them; a denial's own problem is written where checks are answered. */
public final class HttpProblems {
    private HttpProblems() {}

    public static HttpAnswer of(HttpProblemException e) {
        return of(e.status(), e.detail(), e.headers());
    }

    public static HttpAnswer of(int status, String detail, List<String> headers) {
        return of(status, detail, List.of(), headers);
    }

    /** A problem with everything that is wrong, a text each; none where the detail says it all. */
    public static HttpAnswer of(int status, String detail, List<String> errors, List<String> headers) {
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("type", "about:blank");
            json.writeStringField("title", HttpResponseStatus.valueOf(status).reasonPhrase());
            json.writeNumberField("status", status);
            json.writeStringField("detail", detail);
            if (!errors.isEmpty()) {
                json.writeArrayFieldStart("errors");
                for (String each : errors) {
                    json.writeString(each);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
        });
        return new HttpAnswer(status, HttpAnswer.PROBLEM, body, headers);
    }
}
