package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.SampleApplication;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application of ten lines, with nothing but weir-core. */
class CoreApplicationTest {
    private static final List<Path> LIBRARIES = List.of(SampleApplication.libraryOf(Weir.class));
    private static final String MAIN = """
            package app;
            import dev.weir.*;
            import java.time.Duration;
            public class Main {
                public static void main(String[] args) {
                    RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(2, Duration.ofHours(1)));
                    for (int i = 0; i < 3; i++) {
                        System.out.println(limiter.tryAcquire("user-42"));
                    }
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void onTheModulePath() throws Exception {
        SampleApplication app = SampleApplication.onModulePath(folder, LIBRARIES, "dev.weir");
        assertThat(app.compile(MAIN)).isEmpty();
        assertThat(app.run()).isEqualToNormalizingNewlines("true\ntrue\nfalse\n");
    }

    @Test
    void onTheClassPath() throws Exception {
        SampleApplication app = SampleApplication.onClassPath(folder, LIBRARIES);
        assertThat(app.compile(MAIN)).isEmpty();
        assertThat(app.run()).isEqualToNormalizingNewlines("true\ntrue\nfalse\n");
    }

    @Test
    void internalsAreHiddenOnTheModulePath() {
        SampleApplication app = SampleApplication.onModulePath(folder, LIBRARIES, "dev.weir");
        assertThat(app.compile("package app; class Main { dev.weir.internal.limiter.Limiter limiter; }"))
                .contains("package dev.weir.internal.limiter is not visible");
    }
}
