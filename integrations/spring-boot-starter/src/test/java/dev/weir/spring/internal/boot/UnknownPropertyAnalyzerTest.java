package dev.weir.spring.internal.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

class UnknownPropertyAnalyzerTest {

    @Test
    void namesThePropertyThatWasMeantBeforeSpringBootAnalyzesTheFailure() {
        FailureAnalysis analysis = analysis("weir.http.trusted-proxys", "10.0.0.0/8");
        assertThat(analysis.getDescription()).isEqualTo("Weir has no property weir.http.trusted-proxys.");
        assertThat(analysis.getAction()).isEqualTo("weir.http.trusted-proxys: did you mean weir.http.trusted-proxies?");
        assertThat(analysis("weir.dedline", "1s").getAction()).endsWith("did you mean weir.deadline?");
        assertThat(analysis("weir.zzz", "1").getAction()).contains("expected: weir.deadline, ", "weir.tls.key");
    }

    /** The analysis of the first analyzer that knows the failure, as Spring Boot asks them. */
    private static FailureAnalysis analysis(String property, String value) {
        Throwable failure = catchThrowable(() -> new Binder(new MapConfigurationPropertySource(Map.of(property, value)))
                .bind(
                        "weir",
                        Bindable.of(WeirProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT)));
        FailureHandler ignores = FailureHandler.handleMessage((message, cause) -> {}); // some need a bean factory
        return SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, ignores).stream()
                .filter(each -> each.getClass().getName().contains("UnknownProperty")
                        || each.getClass().getName().contains("UnboundConfiguration"))
                .map(each -> each.analyze(failure))
                .filter(each -> each != null)
                .findFirst()
                .orElseThrow();
    }
}
