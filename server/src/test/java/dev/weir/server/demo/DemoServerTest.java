package dev.weir.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.HttpCaller;
import dev.weir.server.RunningServer;
import dev.weir.server.WeirServer;
import dev.weir.server.settings.SettingsReader;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoServerTest {
    @Test
    void aServerDrivesItselfUntilTheTrafficIsClosed(@TempDir Path folder) throws Exception {
        Map<String, String> flags = RunningServer.flags(folder);
        flags.remove("rules");
        flags.put("demo", "");
        try (WeirServer server = WeirServer.start(SettingsReader.read(flags, Map.of(), folder))) {
            HttpCaller http = new HttpCaller(server.http().port());
            DemoTraffic traffic = DemoTraffic.start(server.limiter());
            await().until(() -> traffic.sent() > 100);
            await().until(() -> http.get("/metrics")
                    .body()
                    .contains("ratelimit_decisions_total{domain=\"shop\",rule=\"login\",outcome=\"allowed\"}"));
            traffic.close();
            assertThat(http.get("/healthcheck").body()).isEqualTo("OK");
        }
    }
}
