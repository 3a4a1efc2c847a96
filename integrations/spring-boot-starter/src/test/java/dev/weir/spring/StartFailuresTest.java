package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.spring.internal.boot.WeirStartFailure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;

/** Whatever can be wrong is wrong at start, and the message has the cure. */
class StartFailuresTest {
    private static final String RULES =
            "weir.rules=rules: [{name: orders, key_by: user_id, limit: {requests: 1, window: 1s}},"
                    + " {name: all, limit: {requests: 1, window: 1s}},"
                    + " {name: paths, match: {endpoint: /a}, limit: {requests: 1, window: 1s}}]";

    private static final String SERVER = "weir.store=grpc://weir:8081";

    @Test
    void aServerNeedsAnotherJar() {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Empty.class)
                .resourceLoader(new DefaultResourceLoader(new FilteredClassLoader("dev.weir.remote")))
                .web(WebApplicationType.NONE)
                .properties(SERVER);
        WeirStartFailure failure =
                startFailure(catchThrowable(() -> application.run().close()));
        assertThat(failure).hasMessageContaining("needs weir-remote, which is not on the class path");
        assertThat(failure.cure()).contains("<artifactId>weir-remote</artifactId>");
    }

    @Test
    void properties() {
        fails("Weir has no rules", "weir.rules=");
        fails("there is no file or folder", "weir.rules=missing.yaml");
        fails("there is no classpath:missing.yaml", "weir.rules=classpath:missing.yaml");
        fails("weir.rules:1:", "weir.rules=rules: [{nam: x, limit: {requests: 1, window: 1s}}]");
        fails("weir.store: ", RULES, "weir.store=rediss:/nowhere");
        fails("secret", false, RULES, "weir.store=redis://user:secret@host:port");
        fails("weir.domain: other", RULES, "weir.domain=other");
        fails("weir.rules is set, but weir.store is grpc://weir:8081", RULES, SERVER);
        fails("weir.store: uri: grpc://weir:port", "weir.store=grpc://weir:port");
        fails("weir.on-fail is LOCAL", SERVER, "weir.on-fail=local");
        fails("weir.on-fail is DENY", RULES, SERVER, "weir.on-fail=deny", "weir.rules-mode=fallback");
        fails("weir.on-fail is set", RULES, "weir.on-fail=deny");
        fails("weir.rules-mode is FALLBACK", RULES, "weir.rules-mode=fallback");
        fails("weir.stores is set", SERVER, "weir.stores.other=redis://other");
        fails("weir.tls.verify-host is false", "weir.store=grpcs://weir:8081", "weir.tls.verify-host=false");
        fails("weir.tls is set, but weir.store is grpc://weir:8081, which is not", SERVER, "weir.tls.trust=ca.pem");
        fails("weir.tls is set, but weir.store is memory", RULES, "weir.tls.verify-host=false");
        fails("weir.tls.certificate is set without weir.tls.key", RULES, "weir.tls.certificate=a.pem");
        fails("weir.tls.key is set without weir.tls.certificate", "weir.store=grpcs://weir:8081", "weir.tls.key=a.pem");
        fails("no-such.pem", RULES, "weir.store=rediss://localhost:1", "weir.tls.trust=no-such.pem");
        fails("The rules are wrong", false, RULES, "weir.store=rediss://localhost:1", "weir.tls.trust=no-such.pem");
        fails("no-such.pem", "weir.store=grpcs://localhost:1", "weir.tls.trust=no-such.pem");
        fails("weir.max-keys: 0 (expected: >= 1)", RULES, "weir.max-keys=0");
        fails("weir.deadline: ", RULES, "weir.store=redis://localhost:1", "weir.deadline=0s");
        fails("weir.deadline: ", SERVER, "weir.deadline=0s");
        fails("weir.warm-up: ", RULES, "weir.store=redis://localhost:1", "weir.warm-up=-1s");
        fails("weir.warm-up: ", SERVER, "weir.warm-up=-1s");
        fails("weir.stores.other: ", RULES, "weir.stores.other=other:6379");
        fails("weir.stores.other: ", RULES, "weir.stores.other=memory");
        fails("are both set", RULES, "weir.http.trusted-proxies=10.0.0.0/8", "server.forward-headers-strategy=native");
        fails("10.0.0.0/99", RULES, "weir.http.trusted-proxies=10.0.0.0/99");
        fails("weir.http.exclude: /a/**", RULES, "weir.http.exclude=/a/**");
        assertThat(failure(Empty.class, RULES, "weir.stroe=memory")).rootCause().hasMessageContaining("left unbound");
    }

    @Test
    void methods() {
        fails(Unknown.class, "there is no rule ordres in domain default (there are: orders, all, paths)");
        fails(UnknownDomain.class, "there is no domain other (there are: default)");
        fails(Private.class, "it is private");
        fails(Final.class, "it is final");
        fails(NoKey.class, "it has no key, but rule orders counts by user_id");
        fails(UselessKey.class, "it has the key #user, but rule all counts all calls together");
        fails(Matching.class, "rule paths matches by endpoint");
        fails(WrongVariable.class, "it has no parameter #usr");
        fails(WrongExpression.class, "#user.( is not a SpEL expression");
        fails(NoFallback.class, "there is no fallback later with the same parameters");
        fails(WrongFallback.class, "its fallback later returns Integer");
    }

    private static void fails(String message, String... properties) {
        fails(message, true, properties);
    }

    private static void fails(String message, boolean contained, String... properties) {
        WeirStartFailure failure = startFailure(failure(Empty.class, properties));
        assertThat(String.valueOf(failure.getMessage()).contains(message))
                .as(failure.getMessage())
                .isEqualTo(contained);
        assertThat(failure.cure()).isNotBlank();
    }

    private static void fails(Class<?> bean, String message) {
        WeirStartFailure failure = startFailure(failure(bean, RULES));
        assertThat(failure).hasMessageContaining("@RateLimited on " + bean.getSimpleName() + ".call: " + message);
        assertThat(failure.cure()).isNotBlank();
    }

    private static WeirStartFailure startFailure(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof WeirStartFailure found) {
                return found;
            }
        }
        throw new AssertionError("no WeirStartFailure", thrown);
    }

    private static Throwable failure(Class<?> bean, String... properties) {
        WebApplicationType type = List.of(properties).stream().anyMatch(each -> each.startsWith("weir.http"))
                ? WebApplicationType.SERVLET
                : WebApplicationType.NONE;
        Throwable failure =
                catchThrowable(() -> TestApplication.start(type, new Class<?>[] {Empty.class, bean}, properties)
                        .close());
        assertThat(failure).as("%s %s starts", bean, List.of(properties)).isNotNull();
        return failure;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}

    static class Unknown {
        @RateLimited(value = "ordres", key = "#user")
        public void call(String user) {}
    }

    static class UnknownDomain {
        @RateLimited(value = "orders", key = "#user", domain = "other")
        public void call(String user) {}
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // it is wrong on purpose
    static class Private {
        @RateLimited(value = "orders", key = "#user")
        private void call(String user) {}
    }

    static class Final {
        @RateLimited(value = "orders", key = "#user")
        public final void call(String user) {}
    }

    static class NoKey {
        @RateLimited("orders")
        public void call(String user) {}
    }

    static class UselessKey {
        @RateLimited(value = "all", key = "#user")
        public void call(String user) {}
    }

    static class Matching {
        @RateLimited("paths")
        public void call(String user) {}
    }

    static class WrongVariable {
        @RateLimited(value = "orders", key = "#usr")
        public void call(String user) {}
    }

    static class WrongExpression {
        @RateLimited(value = "orders", key = "#user.(")
        public void call(String user) {}
    }

    static class NoFallback {
        @RateLimited(value = "orders", key = "#user", fallback = "later")
        public String call(String user) {
            return user;
        }

        String later(int user) {
            return "";
        }
    }

    static class WrongFallback {
        @RateLimited(value = "orders", key = "#user", fallback = "later")
        public String call(String user) {
            return user;
        }

        Integer later(String user) {
            return 1;
        }
    }
}
