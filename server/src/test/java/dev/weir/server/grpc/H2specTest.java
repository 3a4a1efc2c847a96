package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.ExternalPrograms;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class H2specTest {

    @Test
    void http2IsSpokenToTheLetter() throws Exception {
        String h2spec = ExternalPrograms.program("h2spec").toString();
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(10))) {
            Process run = new ProcessBuilder(h2spec, "-h", "127.0.0.1", "-p", Integer.toString(rig.port()), "-o", "5")
                    .redirectErrorStream(true)
                    .start();
            String report = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(run.waitFor()).as(report).isZero();
            assertThat(report).contains("0 skipped, 0 failed");
            assertThat(rig.failures).isEmpty();
        }
    }
}
