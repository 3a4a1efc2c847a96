package dev.weir.server.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.settings.Settings.Regions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Epochs of home in a Redis to which somebody else writes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HomeEpochsTest {
    private static final FleetSecret SECRET = new FleetSecret(List.of("0123456789abcdef0123456789abcdef"));
    private static final Regions FIRST = new Regions("eu", Set.of("eu", "us"), "eu", 1, false, false);
    private static final Regions SECOND = new Regions("eu", Set.of("eu", "us"), "eu", 2, false, false);

    @SuppressWarnings("NullAway.Init") // started before all cases
    private RedisProcess redis;

    @SuppressWarnings("NullAway.Init") // likewise
    private RedisSharedStore store;

    private final RejectedNotes rejected = new RejectedNotes("epochs");

    @BeforeAll
    void start() {
        redis = RedisProcess.start();
        store = RedisSharedStore.open(RedisSettings.of(redis.uri()));
        await().atMost(Duration.ofSeconds(20)).until(store::serves);
    }

    @AfterAll
    void stop() {
        store.close();
        redis.close();
    }

    @BeforeEach
    void forget() {
        redis.cli("FLUSHALL");
    }

    private SharedNotes notes() {
        return store.notes("home");
    }

    private EpochNotes epochNotes(@Nullable FleetSecret secret) {
        return new EpochNotes(notes(), secret, rejected);
    }

    private HomeEpochs epochs(Regions regions, @Nullable FleetSecret secret, HomeGate gate) {
        return new HomeEpochs(epochNotes(secret), epochNotes(secret), regions, gate);
    }

    private HomeGate gate() {
        return new HomeGate(store, System::nanoTime);
    }

    @Test
    void withASecretAForgedEpochIsIgnoredCountedAndReplaced() throws Exception {
        HomeGate gate = gate();
        HomeEpochs epochs = epochs(FIRST, SECRET, gate);
        updateUntilOpen(epochs, gate);
        long before = rejected.of(RejectedNotes.Reason.UNSIGNED);
        get(notes().post("epoch", Long.MAX_VALUE, "99 0", ""));
        await().until(() -> {
            epochs.update();
            return get(epochNotes(SECRET).read()).epoch() == 1;
        });
        assertThat(rejected.of(RejectedNotes.Reason.UNSIGNED)).isGreaterThan(before);
        assertThat(gate.isOpen()).isTrue();
        assertThat(epochs.problem()).isEmpty();
    }

    @Test
    void aServerThatStartsBesideAForgedEpochCountsAtHome() throws Exception {
        get(notes().post("epoch", Long.MAX_VALUE, SECRET.sign("home", "other subject", 99, "99 0"), ""));
        HomeGate gate = gate();
        updateUntilOpen(epochs(FIRST, SECRET, gate), gate);
    }

    @Test
    void withoutASecretALaterEpochIsBelieved() throws Exception {
        HomeGate gate = gate();
        HomeEpochs epochs = epochs(FIRST, null, gate);
        updateUntilOpen(epochs, gate);
        get(notes().post("epoch", 99, "99 0", ""));
        await().until(() -> {
            epochs.update();
            return !gate.isOpen();
        });
        assertThat(epochs.problem()).startsWith("home_epoch 1 is old");
    }

    @Test
    void anEpochThatAServerOfTheFleetSignedIsBelieved() throws Exception {
        HomeGate gate = gate();
        HomeEpochs epochs = epochs(FIRST, SECRET, gate);
        updateUntilOpen(epochs, gate);
        assertThat(get(epochNotes(SECRET).post(2, 5))).isTrue();
        await().until(() -> {
            epochs.update();
            return !gate.isOpen();
        });
    }

    @Test
    void aHomeThatHasBegunDoesNotBeginAgainWhenItsNoteIsGone() throws Exception {
        HomeGate gate = gate();
        HomeEpochs epochs = epochs(SECOND, SECRET, gate);
        updateUntilOpen(epochs, gate);
        long began = get(epochNotes(SECRET).read()).since();
        assertThat(began).isPositive();
        redis.cli("DEL", redisKey());
        await().until(() -> {
            epochs.update();
            return get(epochNotes(SECRET).read()).epoch() == 2;
        });
        assertThat(get(epochNotes(SECRET).read()).since()).isEqualTo(began);
    }

    @Test
    void aNoteOfAnotherRegionDoesNotSayThatNobodyWasHomeBefore() throws Exception {
        get(epochNotes(SECRET).post(2, -1));
        assertThat(get(epochNotes(SECRET).read()).since()).isEqualTo(-1);
        HomeGate gate = gate();
        updateUntilOpen(epochs(SECOND, SECRET, gate), gate);
        assertThat(get(epochNotes(SECRET).read()).since()).isPositive();
    }

    private String redisKey() {
        return String.valueOf(((List<?>) Objects.requireNonNull(redis.cli("KEYS", "*"))).get(0));
    }

    private static void updateUntilOpen(HomeEpochs epochs, HomeGate gate) {
        await().until(() -> {
            epochs.update();
            return gate.isOpen();
        });
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
