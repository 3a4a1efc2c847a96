package dev.weir.server.grpc;

import dev.weir.limiter.Waiter;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import java.util.concurrent.Executor;

/** A call that waits for its decision. It knows its stream by the number, which no other call of the connection ever has. */
final class LateAnswer implements Waiter {
    private final Answers answers;
    private final int stream;
    private final long hitsAddend;
    private final long patienceMicros;

    LateAnswer(Answers answers, int stream, long hitsAddend, long patienceMicros) {
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
    public void decided(Request request, Decision decision) {
        answers.late(stream, request, hitsAddend, decision);
    }
}
