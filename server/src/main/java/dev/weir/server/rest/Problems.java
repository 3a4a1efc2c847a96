package dev.weir.server.rest;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;

/** Errors as RFC 9457 has them; a denial's own problem is {@link CheckAnswers}'. */
final class Problems {
    private Problems() {}

    static Answer of(RestException e) {
        String allow = e.allow();
        return of(e.status(), e.detail(), allow == null ? List.of() : List.of("Allow", allow));
    }

    static Answer of(int status, String detail, List<String> headers) {
        byte[] body = JsonOutput.bytes(json -> {
            json.writeStartObject();
            json.writeStringField("type", "about:blank");
            json.writeStringField("title", HttpResponseStatus.valueOf(status).reasonPhrase());
            json.writeNumberField("status", status);
            json.writeStringField("detail", detail);
            json.writeEndObject();
        });
        return new Answer(status, Answer.PROBLEM, body, headers);
    }
}
