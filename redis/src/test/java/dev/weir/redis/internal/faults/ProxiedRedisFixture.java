package dev.weir.redis.internal.faults;

import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A Redis that is well, and a way to it that a test can spoil. */
abstract class ProxiedRedisFixture {
    static final Duration BACK = Duration.ofSeconds(8);

    static RedisProcess redis;

    FaultProxy proxy;

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.stop();
    }

    @BeforeEach
    void open() {
        redis.cli("FLUSHALL");
        proxy = FaultProxy.before(redis.port());
    }

    @AfterEach
    void close() {
        proxy.close();
    }
}
