package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import java.util.concurrent.Executor;

/**
 * A call that waits for its decision. It identifies its stream by id, which no other call of the connection ever has.
 */
final class WaitingCall implements Waiter {
    private final CallResponder responder;
    private final int stream;
    private final long hitsAddend;
    private final long patienceMicros;

    WaitingCall(CallResponder responder, int stream, long hitsAddend, long patienceMicros) {
        this.responder = responder;
        this.stream = stream;
        this.hitsAddend = hitsAddend;
        this.patienceMicros = patienceMicros;
    }

    @Override
    public Executor home() {
        return responder.executor();
    }

    @Override
    public long patienceMicros() {
        return patienceMicros;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        responder.answerLater(stream, request, hitsAddend, decision);
    }
}
