package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.faults.NetworkFaultsTest.assertCountedOnce;
import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis does not want us, or not any more. */
class AccessFaultsTest {
    private static final Duration BACK = Duration.ofSeconds(8);

    @Test
    void aChangedPasswordRefusesUntilWeKnowIt() {
        AtomicReference<RedisCredentials> known = new AtomicReference<>(RedisCredentials.NONE);
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(redis.uri()).withCredentials(known::get));
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b")) {
            load.awaitServing(BACK);
            assertRefused(load, () -> changePassword(redis, "first"));
            known.set(new RedisCredentials("", "first"));
            load.awaitServing(BACK);

            assertRefused(load, () -> changePassword(redis, "second"));
            known.set(new RedisCredentials("", "second"));
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b");
        }
    }

    /** Permissions for the commands of the store, for those of its script, and for its keys. */
    @ParameterizedTest
    @ValueSource(strings = {"-evalsha", "-set", "resetkeys ~other*"})
    void aPermissionTakenAwayRefusesUntilItIsGivenBack(String change) {
        try (RedisProcess redis = RedisProcess.start("user weir on >secret ~* +@all");
                RedisSharedStore store = StoreFixture.open("redis://weir:secret@" + redis.address());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b")) {
            load.awaitServing(BACK);
            assertRefused(load, () -> redis.cli(("ACL SETUSER weir " + change).split(" ", -1)));
            redis.cli("ACL", "SETUSER", "weir", "~*", "+@all");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b");
        }
    }

    @Test
    void aUserTakenAwayRefusesUntilItIsBack() {
        try (RedisProcess redis = RedisProcess.start("user weir on >secret ~* +@all");
                RedisSharedStore store = StoreFixture.open("redis://weir:secret@" + redis.address());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b")) {
            load.awaitServing(BACK);
            assertRefused(load, () -> redis.cli("ACL", "DELUSER", "weir"));
            redis.cli("ACL", "SETUSER", "weir", "on", ">secret", "~*", "+@all");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b");
        }
    }

    private static void changePassword(RedisProcess redis, String wanted) {
        redis.password(wanted);
        redis.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }

    /** Only one caller may be affected: the next ones are not sent there. */
    private static void assertRefused(SteadyLoad load, Runnable change) {
        load.next();
        change.run();
        load.awaitFailure(StoreFailure.REFUSED);
        load.next();
        load.awaitFailures(100);
        AnswerTally since = load.next();
        assertThat(since.admitted()).as("%s", since).isZero();
    }
}
