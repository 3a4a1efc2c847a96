package dev.weir.server.features;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link FeatureContract} with counters in Redis. */
class FeaturesInRedisTest extends FeatureContract {
    private static RedisProcess redis;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisProcess.start();
        server = RunningServer.with(
                FeatureRules.in(folder, "5s"),
                "store",
                redis.uri(),
                "data",
                folder.resolve("data").toString(),
                "reputation_lists",
                FeatureRules.reputations(folder).toString());
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }
}
