package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Weir;
import dev.weir.testkit.SampleApplication;
import dev.weir.text.yaml.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with rules in YAML. */
class RulesApplicationTest {
    private static final String MAIN = """
            package app;
            import dev.weir.*;
            import dev.weir.rules.Rules;
            public class Main {
                public static void main(String[] args) {
                    try (Weir weir = Weir.open(Rules.yaml("rules: [{ match: { user: ~^u }, limit: { requests: 1, window: 1h } }]"))) {
                        Request request = Request.to("default").with("user", "u_42");
                        System.out.println(weir.decide(request).allowed() + " " + weir.decide(request).allowed());
                    }
                }
            }
            """;

    private final List<Path> libraries = new ArrayList<>();

    @TempDir
    Path folder;

    @BeforeEach
    void collectLibraries() {
        libraries.addAll(SampleApplication.libraries("snakeyaml-engine", "re2j"));
        for (Class<?> each : List.of(Weir.class, Rules.class, YamlReader.class)) {
            libraries.add(SampleApplication.libraryOf(each));
        }
    }

    @Test
    void onTheModulePath() throws Exception {
        SampleApplication app = SampleApplication.onModulePath(folder, libraries, "dev.weir.rules");
        assertThat(app.compile(MAIN)).isEmpty();
        assertThat(app.run()).isEqualToNormalizingNewlines("true false\n");
    }

    @Test
    void onTheClassPath() throws Exception {
        SampleApplication app = SampleApplication.onClassPath(folder, libraries);
        assertThat(app.compile(MAIN)).isEmpty();
        assertThat(app.run()).isEqualToNormalizingNewlines("true false\n");
    }

    @Test
    void internalsAreHiddenOnTheModulePath() {
        SampleApplication app = SampleApplication.onModulePath(folder, libraries, "dev.weir.rules");
        assertThat(app.compile("package app; class Main { dev.weir.rules.internal.load.RuleLoader loader; }"))
                .contains("package dev.weir.rules.internal.load is not visible");
    }
}
