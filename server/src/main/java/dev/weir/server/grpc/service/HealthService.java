package dev.weir.server.grpc.service;

import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.health.Health;
import java.nio.charset.StandardCharsets;

/**
 * Serves {@code grpc.health.v1.Health}, for the server as a whole and under the service name that the reference uses.
 */
public final class HealthService implements GrpcService {
    private static final int REQUEST_SERVICE = 1 << 3 | ProtobufReader.BYTES;
    private static final int RESPONSE_STATUS = 1 << 3 | ProtobufReader.VARINT;
    private static final byte[] SERVING = {RESPONSE_STATUS, 1};
    private static final byte[] NOT_SERVING = {RESPONSE_STATUS, 2};
    private static final byte[] SERVICE_UNKNOWN = {RESPONSE_STATUS, 3};

    private final Health health;

    public HealthService(Health health) {
        this.health = health;
    }

    @Override
    public void message(GrpcServiceCall call, GrpcMethod method, byte[] message) throws GrpcCallException {
        boolean known = isKnown(service(message));
        if (method == GrpcMethod.HEALTH_WATCH) {
            watch(call, known);
        } else if (known) {
            call.send(bytes(health.state()));
            call.end(GrpcStatus.OK, "");
        } else {
            throw new GrpcCallException(GrpcStatus.NOT_FOUND, "unknown service (expected: \"\" or \"ratelimit\")");
        }
    }

    private void watch(GrpcServiceCall call, boolean known) {
        if (!known) {
            call.send(SERVICE_UNKNOWN);
            return;
        }
        // Listen first: a change in between is sent twice rather than not at all.
        Runnable unwatch = health.onChange(state -> call.send(bytes(state)));
        call.onGone(unwatch);
        call.send(bytes(health.state()));
    }

    private static byte[] bytes(Health.State state) {
        return state == Health.State.SERVING ? SERVING : NOT_SERVING;
    }

    private static boolean isKnown(String service) {
        return service.isEmpty()
                || service.equals("ratelimit")
                || service.equals("envoy.service.ratelimit.v3.RateLimitService");
    }

    private static String service(byte[] message) throws GrpcCallException {
        String service = "";
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REQUEST_SERVICE) {
                int length = wire.length();
                service = new String(message, wire.position(), length, StandardCharsets.UTF_8);
                wire.skipBytes(length);
            } else {
                wire.skip(tag);
            }
        }
        return service;
    }
}
