package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.control.testkit.Etcd;
import dev.weir.control.testkit.Postgres;
import dev.weir.control.testkit.XdsServer;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.HttpCaller;
import dev.weir.testkit.ServedProcess;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that a server may be told to speak to, it has the libraries for: a scope of {@code test} in a pom takes one from the
 * server that ships, and every other test still finds it.
 */
class ShippedServerTest {
    @TempDir
    Path folder;

    @Test
    void itTakesRulesFromXdsCountsInRedisAndKeepsADatabaseOfItsOwn() throws Exception {
        try (XdsServer xds = XdsServer.start();
                RedisProcess redis = RedisProcess.start()) {
            xds.set("v1", XdsServer.hourly("gateway", "user", 3));
            try (ServedProcess served = ServedProcess.in(
                    folder,
                    "--rules=xds://127.0.0.1:" + xds.port(),
                    "--store=" + redis.uri(),
                    "--deadline=5s",
                    "--data=" + folder.resolve("data"))) {
                assertThat(check(served, "gateway", "user").getInteger("limit")).isEqualTo(3);
                // Until Redis is connected, what it would have counted goes to the failure policy.
                await().until(() -> check(served, "gateway", "user").getInteger("limit") == 3
                        && redis.keysWithoutNotes().size() == 1);
            }
        }
    }

    @Test
    void itTakesRulesFromEtcd(@TempDir Path etcdFolder) throws Exception {
        try (Etcd etcd = Etcd.in(etcdFolder)) {
            etcd.writer().put("/weir/api", "{domain: api, rules: [{name: r, limit: {requests: 42, window: 1h}}]}");
            try (ServedProcess served = ServedProcess.in(folder, "--rules=" + etcd.url("/weir"))) {
                assertThat(check(served, "api", "user_id").getInteger("limit")).isEqualTo(42);
            }
        }
    }

    @Test
    void itKeepsWhatIsChangedInPostgres() throws Exception {
        try (ServedProcess served = ServedProcess.in(folder, "--db=" + Postgres.database())) {
            assertThat(http(served).get("/metrics").body().lines()).contains("ratelimit_database_connected 1.0");
        }
    }

    private static JsonObject check(ServedProcess served, String domain, String attribute) throws Exception {
        JsonObject question = new JsonObject().put("domain", domain).put(attribute, "u");
        return new JsonObject(http(served).check(question).body());
    }

    private static HttpCaller http(ServedProcess served) {
        return new HttpCaller(URI.create(served.http()).getPort());
    }
}
