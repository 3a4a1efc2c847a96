package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Weir;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.testkit.SampleApplication;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application of a few lines: in memory, and with one line changed through a real Redis. */
class RedisApplicationTest {
    private static final String IN_MEMORY = "Store store = Store.memory();";
    private static final String IN_REDIS = "Store store = dev.weir.redis.RedisStore.at(args[0]);";
    private static final String MAIN = """
        package app;
        import dev.weir.*;
        import java.time.Duration;
        public class Main {
            public static void main(String[] args) {
                STORE
                RuleSet rules = RuleSet.builder("api").rule("r", Limit.fixedWindow(1, Duration.ofDays(30))).deadline(Duration.ofSeconds(5)).build();
                try (Weir weir = Weir.open(rules, store)) {
                    Request request = Request.to("api").with("user", "u_42");
                    System.out.println(weir.decide(request) + "\\n" + weir.decide(request));
                }
            }
        }
        """;

    private final List<Path> libraries = new ArrayList<>();

    @TempDir
    Path folder;

    @BeforeEach
    void collectLibraries() {
        libraries.addAll(SampleApplication.libraries(
                "lettuce-core",
                "netty-",
                "reactor-core",
                "reactive-streams",
                "resilience4j-",
                "redis-authx",
                "slf4j-api"));
        libraries.add(SampleApplication.libraryOf(Weir.class));
        libraries.add(SampleApplication.libraryOf(RedisStore.class));
    }

    @Test
    void onTheModulePath() throws Exception {
        limits(SampleApplication.onModulePath(folder, libraries, "dev.weir.redis"));
    }

    @Test
    void onTheClassPath() throws Exception {
        limits(SampleApplication.onClassPath(folder, libraries));
    }

    private static void limits(SampleApplication app) throws IOException, InterruptedException {
        assertThat(app.compile(MAIN.replace("STORE", IN_MEMORY))).isEmpty();
        assertThat(app.run("")).containsSubsequence("allowed under r", "denied by r");
        assertThat(app.compile(MAIN.replace("STORE", IN_REDIS))).isEmpty();
        try (RedisProcess redis = RedisProcess.start()) {
            assertThat(app.run(redis.uri()))
                    .containsSubsequence("allowed under r", "denied by r")
                    .doesNotContain("degraded", "Exception");
            assertThat(app.run(redis.uri())).as("another process").containsSubsequence("denied by r", "denied by r");
        }
    }

    @Test
    void internalsAreHiddenOnTheModulePath() {
        SampleApplication app = SampleApplication.onModulePath(folder, libraries, "dev.weir.redis");
        assertThat(app.compile("package app; class Main { dev.weir.redis.internal.store.RedisSharedStore store; }"))
                .contains("package dev.weir.redis.internal.store is not visible");
    }

    /** A class path of two versions of Lettuce: without a word everything would pass. */
    @Test
    void aBrokenLettuceIsRefusedByItsVersion() throws Exception {
        Path lettuce = SampleApplication.libraries("lettuce-core").get(0);
        Path older = folder.resolve("lettuce-core-6.6.0.jar");
        Files.copy(lettuce, older);
        try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + older.toUri()), Map.of())) {
            Files.delete(jar.getPath("io/lettuce/core/MaintNotificationsConfig.class"));
        }
        libraries.replaceAll(each -> each.equals(lettuce) ? older : each);
        SampleApplication app = SampleApplication.onClassPath(folder, libraries);
        assertThat(app.compile(MAIN.replace("STORE", IN_REDIS))).isEmpty();
        assertThat(app.run("redis://localhost:1"))
                .contains(
                        "IllegalStateException: weir-redis cannot run with lettuce-core-6.6.0.jar and netty-transport-")
                .doesNotContain("allowed");
    }
}
