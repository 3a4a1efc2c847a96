package dev.weir.server.conformance;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An answer, in one form for both protocols. */
sealed interface RlsReply {
    /** One header to add. */
    record Header(String name, String value) {}

    /** The limit that spoke. */
    record CurrentLimit(long requestsPerUnit, ProtocolUnit unit, String name) {}

    /** The outcome of one descriptor. */
    record Status(
            ProtocolCode code,
            @Nullable CurrentLimit limit,
            long remaining,
            @Nullable Long resetSeconds) {}

    /** A decision. */
    record Answer(
            ProtocolCode code,
            List<Status> statuses,
            List<Header> headers,
            @Nullable JsonObject metadata) implements RlsReply {}

    /** The service would not decide; over HTTP {@code status} is a number, over gRPC the name of the code. */
    record Refusal(String status, String message) implements RlsReply {}
}
