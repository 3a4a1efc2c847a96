package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import java.util.concurrent.Executor;

/** A call that waits for its decision. It knows its stream by the number, which no other call of the connection ever has. */
final class WaitingCall implements Waiter {
    private final CallResponder answers;
    private final int stream;
    private final long hitsAddend;
    private final long patienceMicros;

    WaitingCall(CallResponder answers, int stream, long hitsAddend, long patienceMicros) {
        this.answers = answers;
        this.stream = stream;
        this.hitsAddend = hitsAddend;
        this.patienceMicros = patienceMicros;
    }

    @Override
    public Executor home() {
        return answers.home();
    }

    @Override
    public long patienceMicros() {
        return patienceMicros;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        answers.late(stream, request, hitsAddend, decision);
    }
}
