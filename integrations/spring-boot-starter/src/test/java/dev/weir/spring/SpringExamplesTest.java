package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.internal.boot.WeirProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ReflectionUtils;

/** The properties and the Java of docs/spring.md, as they stand there. */
class SpringExamplesTest {
    private static final Path PAGE = Path.of("../spring-boot-starter/../../docs/spring.md");
    private static final Pattern APPLICATION = Pattern.compile("(?s)```yaml application\\.yaml\n(.*?)```");
    private static final Pattern ROW = Pattern.compile("`(weir\\.[a-z.-]+)`");

    @Test
    void everyPropertyOfThePageExistsAndTheTableHasAll() throws IOException {
        for (String each : applications()) {
            assertThat(bound(each)).isNotNull();
        }
        TreeSet<String> documented = new TreeSet<>();
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line.startsWith("| `weir.") ? line.substring(0, line.indexOf("|", 1)) : "");
            while (row.find()) {
                documented.add(row.group(1));
            }
        }
        TreeSet<String> existing = new TreeSet<>();
        collect("weir", WeirProperties.class, existing);
        assertThat(documented).isEqualTo(existing);
    }

    /** CI builds, starts and asks the example. */
    @Test
    void theFirstApplicationOfThePageIsTheExample() throws IOException {
        assertThat(Path.of("../../examples/spring-boot/src/main/resources/application.yaml"))
                .content()
                .isEqualTo(applications().get(0));
    }

    @Test
    void theBeansAndMethodsOfThePageWork() throws Exception {
        String rules = page().split("```yaml\n", 2)[1].split("```", 2)[0];
        try (TestApplication app = TestApplication.start(
                WebApplicationType.NONE, Application.class, "weir.rules=" + rules.replace("100", "3"))) {
            Orders orders = app.bean(Orders.class);
            assertThat(orders.place(new User("u"), List.of("a", "b"))).isEqualTo("placed 2");
            assertThat(orders.place(new User("u"), List.of("a", "b")))
                    .startsWith("try again later: denied [denied by orders");
        }
    }

    @Test
    void theMetadataDescribesEveryProperty() throws IOException {
        String metadata = Files.readString(
                Path.of("../spring-boot-starter/target/classes/META-INF/spring-configuration-metadata.json"));
        TreeSet<String> existing = new TreeSet<>();
        collect("weir", WeirProperties.class, existing);
        for (String each : existing) {
            int at = metadata.indexOf("\"name\": \"" + each + "\"");
            assertThat(at).as(each).isPositive();
            assertThat(metadata.substring(at, metadata.indexOf('}', at)))
                    .as(each)
                    .contains("\"description\"");
        }
    }

    /** The names of the properties, as the class has them. */
    private static void collect(String prefix, Class<?> type, Set<String> into) {
        ReflectionUtils.doWithLocalFields(type, field -> {
            String name =
                    prefix + "." + field.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (field.getType().getEnclosingClass() == WeirProperties.class
                    && !field.getType().isEnum()) {
                collect(name, field.getType(), into);
            } else {
                into.add(name);
            }
        });
    }

    private static String page() throws IOException {
        return Files.readString(PAGE);
    }

    private static List<String> applications() throws IOException {
        List<String> found = new ArrayList<>();
        Matcher blocks = APPLICATION.matcher(page());
        while (blocks.find()) {
            found.add(blocks.group(1));
        }
        assertThat(found).hasSizeGreaterThan(2);
        return found;
    }

    private static WeirProperties bound(String yaml) throws IOException {
        List<PropertySource<?>> sources = new YamlPropertySourceLoader()
                .load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        return new Binder(ConfigurationPropertySources.from(sources))
                .bind("weir", Bindable.of(WeirProperties.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                .get();
    }

    record User(String id) {}

    static class Orders {
        @RateLimited(value = "orders", key = "#user.id", cost = "#items.size()", fallback = "later")
        public String place(User user, List<String> items) {
            return "placed " + items.size();
        }

        String later(User user, List<String> items, RateLimitedException denied) {
            return "try again later: " + denied.getMessage();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {
        @Bean
        HttpLimiterCustomizer tenant() {
            return limiter -> limiter.attribute("tenant", call -> tenantOf(call.header("Host")));
        }

        private static String tenantOf(@Nullable String host) {
            return Objects.requireNonNullElse(host, "");
        }
    }
}
