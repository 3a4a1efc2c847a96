package dev.weir.server.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;

/** Writes errors as RFC 9457 problems. The problem of a denial is written with the other answers to checks. */
public final class HttpProblems {
    private HttpProblems() {}

    public static HttpAnswer of(HttpProblemException e) {
        return of(e.status(), e.type(), e.detail(), List.of(), e.headers());
    }

    public static HttpAnswer of(int status, String detail, List<String> headers) {
        return of(status, detail, List.of(), headers);
    }

    /** A problem with a text for each error; {@code errors} is empty if the detail says it all. */
    public static HttpAnswer of(int status, String detail, List<String> errors, List<String> headers) {
        return of(status, HttpProblemException.ABOUT_BLANK, detail, errors, headers);
    }

    private static HttpAnswer of(int status, String type, String detail, List<String> errors, List<String> headers) {
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("type", type);
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
