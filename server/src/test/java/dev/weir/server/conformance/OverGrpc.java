package dev.weir.server.conformance;

import dev.weir.server.GrpcCaller;
import dev.weir.server.ListeningService;
import dev.weir.server.conformance.RlsReply.Refusal;
import io.grpc.StatusRuntimeException;
import java.io.IOException;

/** The service as grpc-java sees it, with messages written and read by hand so that the server's own codec is not its judge. */
final class OverGrpc implements RateLimitServiceUnderTest {
    private final GrpcCaller caller;

    OverGrpc(ListeningService server) {
        this.caller = new GrpcCaller(server.grpcPort());
    }

    @Override
    public RlsReply ask(String domain, RlsRequest ask) throws IOException {
        try {
            return RlsWire.read(call(RlsWire.write(domain, ask)));
        } catch (StatusRuntimeException e) {
            String message = e.getStatus().getDescription();
            return new Refusal(e.getStatus().getCode().name(), message == null ? "" : message);
        }
    }

    /** Sends a message as it stands. */
    byte[] call(byte[] message) {
        return caller.call(message);
    }

    @Override
    public void close() {
        caller.close();
    }
}
