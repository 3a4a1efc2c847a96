package dev.weir.testing;

import dev.weir.RuleSource;
import dev.weir.Weir;
import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a {@link Weir} of its own, with counters in memory, and the {@link TestClock} that it counts by.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final WeirExtension LIMITS = WeirExtension.with(Rules.file(Path.of("rules.yaml")));
 *
 * @Test
 * void theSixthLoginIsDenied(Weir weir, TestClock clock) { ... }
 * }</pre>
 */
public final class WeirExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(WeirExtension.class);

    private final RuleSource rules;

    /** A limiter with its clock, which is closed with the test. */
    @SuppressWarnings("deprecation") // its successor came with JUnit 5.13, and projects have older ones
    private record Opened(Weir weir, TestClock clock) implements CloseableResource, AutoCloseable {
        @Override
        public void close() {
            weir.close();
        }
    }

    private WeirExtension(RuleSource rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    /** Tests with {@code rules}. */
    public static WeirExtension with(RuleSource rules) {
        return new WeirExtension(rules);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Weir.class || type == TestClock.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Opened opened = context.getStore(NAMESPACE).getOrComputeIfAbsent(this, unused -> open(), Opened.class);
        return parameter.getParameter().getType() == Weir.class ? opened.weir() : opened.clock();
    }

    private Opened open() {
        TestClock clock = new TestClock();
        return new Opened(Weir.builder(rules).time(clock.time()).open(), clock);
    }
}
