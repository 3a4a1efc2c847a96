package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.ruleset.WeirRules;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class HoldsTest {
    private final LocalLimiterHarness d = new LocalLimiterHarness(rules(
            rule(
                    WeirRules.rule("bucket", Limit.tokenBucket(100, Duration.ofMinutes(1)))
                            .unit("tokens")
                            .build(),
                    KeyBy.of("user")),
            rule(
                    WeirRules.rule("window", Limit.fixedWindow(100, Duration.ofMinutes(1)))
                            .unit("tokens")
                            .build(),
                    KeyBy.of("user")),
            rule(
                    WeirRules.rule("calls", Limit.fixedWindow(100, Duration.ofMinutes(1)))
                            .build(),
                    KeyBy.of("user"))));

    private Holds.Reserved reserve(long tokens) {
        return d.limiter
                .holds()
                .reserve(ask("user", "u").hits("tokens", tokens), Holds.DEFAULT_TTL)
                .toCompletableFuture()
                .join();
    }

    private HeldRequest hold(long tokens) {
        return Objects.requireNonNull(reserve(tokens).hold());
    }

    private Settlement settle(HeldRequest hold, Request costs) {
        return d.limiter.holds().settle(hold, costs).toCompletableFuture().join();
    }

    private static Request tokens(long hits) {
        return Request.to("").hits("tokens", hits);
    }

    private String left() {
        return d.ask(ask("user", "u").takeNothing());
    }

    @Test
    void settlingGivesBackWhatWasNotUsed() {
        HeldRequest hold = hold(80);
        assertThat(left()).isEqualTo("yes [bucket WITHIN_LIMIT 20, window WITHIN_LIMIT 20, calls WITHIN_LIMIT 99]");
        assertThat(settle(hold, tokens(30))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo("yes [bucket WITHIN_LIMIT 70, window WITHIN_LIMIT 70, calls WITHIN_LIMIT 99]");
        assertThat(settle(hold, tokens(0))).isEqualTo(Settlement.BEFORE);
        assertThat(left()).isEqualTo("yes [bucket WITHIN_LIMIT 70, window WITHIN_LIMIT 70, calls WITHIN_LIMIT 99]");
    }

    @Test
    void aUnitThatTheSettlementDoesNotNameWentUnused() {
        HeldRequest hold = hold(80);
        assertThat(settle(hold, Request.to("").hits("requests", 0))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo("yes [bucket WITHIN_LIMIT 100, window WITHIN_LIMIT 100, calls WITHIN_LIMIT 100]");
    }

    @Test
    void moreThanReservedIsADebt() {
        HeldRequest hold = hold(80);
        assertThat(settle(hold, tokens(150))).isEqualTo(Settlement.DONE);
        assertThat(left()).isEqualTo("no [bucket OVER_LIMIT 0, window OVER_LIMIT 0, calls WITHIN_LIMIT 99]");
        d.now += LocalLimiterHarness.MINUTE; // the window is new, and the bucket has half of its debt behind it
        assertThat(d.ask(ask("user", "u").hits("tokens", 51))).startsWith("no [bucket OVER_LIMIT 50, window WITHIN");
        assertThat(d.ask(ask("user", "u").hits("tokens", 50))).startsWith("yes ");
    }

    @Test
    void aSettlementOfAnyCostOverflowsNothing() {
        assertThat(settle(hold(10), tokens(Long.MAX_VALUE))).isEqualTo(Settlement.DONE);
        assertThat(d.ask(ask("user", "u").hits("tokens", 1)))
                .startsWith("no [bucket OVER_LIMIT 0, window OVER_LIMIT 0");
    }

    @Test
    void aShadowBannedCallerSettlesOnceAndIsChargedNothing() {
        Ban shadow = new Ban(BanKind.SHADOW, "user", "u", "", Ban.FOREVER, "", "test", false);
        d.limiter.bans(new BanTable(List.of(BanSet.of(List.of(shadow), false))));
        HeldRequest hold = hold(80);
        assertThat(settle(hold, tokens(150))).isEqualTo(Settlement.DONE);
        assertThat(settle(hold, tokens(150))).isEqualTo(Settlement.BEFORE);
        d.limiter.bans(new BanTable(List.of()));
        assertThat(left()).isEqualTo("yes [bucket WITHIN_LIMIT 100, window WITHIN_LIMIT 100, calls WITHIN_LIMIT 100]");
    }

    /** What it reserved before the ban goes back. */
    @Test
    void aCallerThatIsShadowBannedMeanwhileSettlesAsAnyOther() {
        HeldRequest hold = hold(80);
        Ban shadow = new Ban(BanKind.SHADOW, "user", "u", "", Ban.FOREVER, "", "test", false);
        d.limiter.bans(new BanTable(List.of(BanSet.of(List.of(shadow), false))));
        assertThat(settle(hold, tokens(30))).isEqualTo(Settlement.DONE);
        d.limiter.bans(new BanTable(List.of()));
        assertThat(left()).isEqualTo("yes [bucket WITHIN_LIMIT 70, window WITHIN_LIMIT 70, calls WITHIN_LIMIT 99]");
    }

    @Test
    void anEstimateIsCappedAtTheLimitAndNeverNever() {
        HeldRequest hold = hold(1_000_000);
        assertThat(left()).startsWith("yes [bucket WITHIN_LIMIT 0, window WITHIN_LIMIT 0");
        assertThat(settle(hold, tokens(40))).isEqualTo(Settlement.DONE);
        assertThat(left()).startsWith("yes [bucket WITHIN_LIMIT 60, window WITHIN_LIMIT 60");
    }

    @Test
    void aLimitOfNothingDeniesEveryReserve() {
        LocalLimiterHarness none = new LocalLimiterHarness(rules(rule(
                WeirRules.rule("none", Limit.fixedWindow(0, Duration.ofMinutes(1)))
                        .build(),
                KeyBy.of("user"))));
        Holds.Reserved denied = none.limiter
                .holds()
                .reserve(ask("user", "u").hits("tokens", 5), Holds.DEFAULT_TTL)
                .toCompletableFuture()
                .join();
        assertThat(denied.decision().allowed()).isFalse();
        assertThat(denied.hold()).isNull();
    }

    @Test
    void aDeniedReserveTakesNothingAndHasNoHold() {
        hold(80);
        Holds.Reserved denied = reserve(30);
        assertThat(denied.decision().allowed()).isFalse();
        assertThat(denied.hold()).isNull();
        assertThat(left()).startsWith("yes [bucket WITHIN_LIMIT 20, window WITHIN_LIMIT 20, calls WITHIN_LIMIT 99]");
    }

    @Test
    void anExpiredHoldStaysChargedAsReserved() {
        HeldRequest hold = hold(80);
        d.now += Holds.DEFAULT_TTL.toNanos() / 1_000 - 1;
        HeldRequest later = hold(10);
        d.now += 1;
        assertThat(settle(hold, tokens(0))).isEqualTo(Settlement.EXPIRED);
        assertThat(settle(later, tokens(10))).isEqualTo(Settlement.DONE);
    }

    @Test
    void aSettlementChangesOnlyLimitsThatRememberTheHits() {
        HeldRequest hold = hold(80); // ten seconds into a minute
        d.now += 51 * LocalLimiterHarness.SECOND;
        assertThat(d.ask(ask("user", "u").hits("tokens", 10)))
                .isEqualTo("yes [bucket WITHIN_LIMIT 90, window WITHIN_LIMIT 90, calls WITHIN_LIMIT 99]");
        assertThat(settle(hold, tokens(0))).isEqualTo(Settlement.DONE);
        assertThat(left()).startsWith("yes [bucket WITHIN_LIMIT 90, window WITHIN_LIMIT 90");
    }

    @Test
    void aHoldOnTheMemoryOfAnotherProcessIsSettledThere() {
        LocalLimiterHarness other = new LocalLimiterHarness(rules(rule("window", KeyBy.of("user"))));
        HeldRequest hold = hold(10);
        assertThat(other.limiter
                        .holds()
                        .settle(hold, tokens(0))
                        .toCompletableFuture()
                        .join())
                .isEqualTo(Settlement.ELSEWHERE);
    }
}
