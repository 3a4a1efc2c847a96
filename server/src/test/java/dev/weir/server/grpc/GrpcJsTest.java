package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.ExternalPrograms;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A client of another make. {@code npm install --prefix DIR @grpc/grpc-js} and {@code -Dgrpc-js=DIR} make it run. */
class GrpcJsTest {

    @Test
    void grpcJsIsAnswered() throws Exception {
        String folder = System.getProperty("grpc-js");
        Path modules = folder == null
                ? ExternalPrograms.missing("-Dgrpc-js=… does not name a folder with @grpc/grpc-js")
                : Path.of(folder, "node_modules");
        String node = ExternalPrograms.program("node").toString();
        Path script = Path.of(GrpcJsTest.class.getResource("ask.js").toURI());
        try (TestGrpcServer rig = new TestGrpcServer(new CountingDecider(300))) {
            ProcessBuilder ask = new ProcessBuilder(node, script.toString(), "127.0.0.1:" + rig.port());
            ask.environment().put("NODE_PATH", modules.toString());
            Process run = ask.redirectErrorStream(true).start();
            String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said.strip()).isEqualTo("ok=300 over=200 empty=3 rate limit domain must not be empty");
            assertThat(run.waitFor()).isZero();
            assertThat(rig.failures).isEmpty();
        }
    }
}
