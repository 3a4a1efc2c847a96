package dev.weir.control.xds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.control.EtcdAndXdsSources;
import dev.weir.control.source.NetworkSources;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceSettings;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.testkit.ExternalPrograms;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** go-control-plane, the library that control planes use (src/test/go/xds), and Weir understand each other. */
class GoControlPlaneTest {

    @Test
    void itDrivesUsAsItDrivesTheReference() throws Exception {
        Process process = new ProcessBuilder(
                        ExternalPrograms.program("weir-xds-plane").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (PrintWriter say = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
                BufferedReader hear =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            SourceAddress address = SourceAddress.parse("xds://127.0.0.1:" + hear.readLine());
            say.println("one 100");
            try (NetworkSources sources =
                    EtcdAndXdsSources.open(SourceSettings.NONE.with(List.of(address)), LoadOptions.DEFAULT, null)) {
                assertThat(hear.readLine()).isEqualTo("ack one");
                Rule rule = sources.all().get(0).rules().rules().get(0);
                assertThat(rule.domain()).isEqualTo("gateway");
                assertThat(rule.name()).isEqualTo("per key");
                say.println("two -1");
                // The server repeats a refused response; 5 refusals take at least 50 + 100 + 200 + 400 ms.
                long start = System.nanoTime();
                for (int i = 0; i < 5; i++) {
                    assertThat(hear.readLine()).startsWith("nack xds:gateway:descriptors[0].rate_limit");
                }
                assertThat(System.nanoTime() - start).isGreaterThan(700_000_000L);
                assertThat(requests(sources)).isEqualTo(100);
                say.println("three 300");
                await().until(() -> requests(sources) == 300);
                String next = hear.readLine();
                while (next.startsWith("nack")) {
                    next = hear.readLine();
                }
                assertThat(next).isEqualTo("ack three");
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private static long requests(NetworkSources sources) {
        return Objects.requireNonNull(
                        sources.all().get(0).rules().rules().get(0).limit())
                .requests();
    }
}
