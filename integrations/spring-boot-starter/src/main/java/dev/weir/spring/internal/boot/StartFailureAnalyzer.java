package dev.weir.spring.internal.boot;

import java.util.Objects;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a {@link WeirStartFailure} as Spring Boot shows mistakes: without a stack trace, with the cure. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<WeirStartFailure> {

    @Override
    protected FailureAnalysis analyze(Throwable root, WeirStartFailure cause) {
        return new FailureAnalysis(Objects.requireNonNullElse(cause.getMessage(), ""), cause.cure(), cause);
    }
}
