package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.Author;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.quota.QuotaBody;
import dev.weir.control.quota.StoredOverride;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.token.Role;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.TokenText;
import dev.weir.control.token.Tokens;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.quota.OverrideUnit;
import dev.weir.text.diagnostics.DiagnosticCollector;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of the control plane on every database. */
abstract class ControlContract extends DatabaseContract {
    static final Author OPERATOR = new Author("ada", "127.0.0.1", "two in the morning");
    private static final String BODY =
            "{\"key_pattern\":\"user:{user_id}\",\"algorithm\":\"token_bucket\",\"rate\":100,\"burst\":150,\"window\":\"1m\"}";

    @Test
    void aRuleIsInForceWhenTheChangeReturnsAndAfterARestart() throws IOException {
        plane.putRule(OPERATOR, "r_abc", "api", BODY, ANY, false);
        assertThat(plane.rules().rules()).extracting("id").containsExactly("r_abc");
        reopen();
        assertThat(plane.rules().rules()).extracting("id").containsExactly("r_abc");
        assertThat(plane.version()).isEqualTo(1);
    }

    @Test
    void aRuleOfTheDatabaseTakesThePlaceOfTheOneInTheFilesUntilItIsDeleted() {
        WrittenRules files = RuleLoader.parse(
                        "rules.yaml",
                        "{domain: api, rules: [{name: r_abc, key_by: user_id, limit: {requests: 5, window: 1s}},"
                                + " {name: other, limit: {requests: 7, window: 1s}}]}")
                .orThrow();
        plane.putRule(OPERATOR, "r_abc", "api", BODY, ANY, false);
        WrittenRules layered = plane.rules().over(files).build();
        assertThat(layered.rules()).extracting(Rule::name).containsExactly("r_abc", "other");
        assertThat(limit(layered, "r_abc")).isEqualTo(100);
        assertThat(layered.rules().get(0).source()).startsWith("database");
        plane.deleteRule(OPERATOR, "r_abc", ANY, false);
        assertThat(limit(plane.rules().over(files).build(), "r_abc")).isEqualTo(5);
    }

    @Test
    void aRuleThatIsNotEnabledTakesTheOneInTheFilesOut() {
        WrittenRules files = RuleLoader.parse("rules.yaml", "{rules: [{name: a, limit: {requests: 5, window: 1s}}]}")
                .orThrow();
        plane.putRule(OPERATOR, "a", "default", "{\"enabled\":false,\"rate\":1,\"window\":\"1s\"}", ANY, false);
        assertThat(plane.rules().over(files).build().rules()).isEmpty();
    }

    @Test
    void aStaleVersionChangesNothing() {
        long version = plane.putRule(OPERATOR, "r", "api", BODY, new Precondition.Absent(), false)
                .version();
        plane.putRule(OPERATOR, "r", "api", BODY, new Precondition.Unchanged(version), false);
        assertThatThrownBy(
                        () -> plane.putRule(OPERATOR, "r", "other", BODY, new Precondition.Unchanged(version), false))
                .isInstanceOf(ChangeRefusedException.class)
                .hasMessage("it is at version 2");
        assertThatThrownBy(() -> plane.putRule(OPERATOR, "r", "other", BODY, new Precondition.Absent(), false))
                .isInstanceOf(ChangeRefusedException.class);
        assertThat(Objects.requireNonNull(plane.rules().rule("r")).domain()).isEqualTo("api");
        assertThat(plane.version()).isEqualTo(2);
    }

    @Test
    void aDryRunTellsWhatWouldChangeAndChangesNothing() {
        plane.putRule(OPERATOR, "r", "api", BODY, ANY, false);
        Change change = plane.putRule(OPERATOR, "r", "api", "{\"rate\":1,\"window\":\"1s\"}", ANY, true);
        assertThat(change.before()).contains("\"rate\":100");
        assertThat(change.after()).contains("\"rate\":1,");
        assertThat(change.version()).isZero();
        assertThat(plane.version()).isEqualTo(1);
        assertThat(Objects.requireNonNull(plane.rules().rule("r")).body()).isEqualTo(BODY);
    }

    @Test
    void aValueThatDoesNotFitItsColumnIsRefused() {
        String nul = "a\0b";
        for (String domain : List.of("d".repeat(301), nul)) {
            assertInvalid("domain: ", () -> plane.putRule(OPERATOR, "r", domain, BODY, ANY, false));
        }
        assertInvalid("rule_id: ", () -> plane.putRule(OPERATOR, "r".repeat(201), "api", BODY, ANY, false));
        assertInvalid("api_key: ", () -> plane.putQuota(OPERATOR, quota(nul, null, null), ANY, false));
        StoredQuota long65 =
                new StoredQuota("k", "t".repeat(65), List.of(), null, null, new StoredVersion(0, Instant.EPOCH, ""));
        assertInvalid("tier: ", () -> plane.putQuota(OPERATOR, long65, ANY, false));
        plane.putRule(OPERATOR, "r".repeat(200), "d".repeat(300), BODY, ANY, false);
        assertThat(plane.version()).isEqualTo(1);
    }

    private static void assertInvalid(String start, ThrowingCallable change) {
        assertThatThrownBy(change)
                .hasMessageStartingWith(start)
                .isInstanceOfSatisfying(
                        ChangeRefusedException.class,
                        e -> assertThat(e.kind()).isEqualTo(ChangeRefusedException.Cause.INVALID));
    }

    @Test
    void aMissingRecordCannotBeDeleted() {
        assertThatThrownBy(() -> plane.deleteRule(OPERATOR, "r", ANY, false))
                .isInstanceOf(ChangeRefusedException.class);
        assertThatThrownBy(() -> plane.deleteQuota(OPERATOR, "k", ANY, false))
                .isInstanceOf(ChangeRefusedException.class);
        assertThat(plane.version()).isZero();
    }

    @Test
    void everyChangeHasALineThatFollowsTheOneBefore() {
        plane.putRule(OPERATOR, "r", "api", BODY, ANY, false);
        plane.putQuota(OPERATOR, quota("k", null, null), ANY, false);
        plane.deleteRule(OPERATOR, "r", ANY, false);
        assertThat(plane.verifyAudit().problems()).isEmpty();
        assertThat(plane.verifyAudit().changes()).isEqualTo(3);
        List<AuditTable.Entry> lines = plane.audit(0, 10);
        assertThat(lines).extracting(AuditTable.Entry::kind).containsExactly("rule", "quota", "rule");
        assertThat(lines.get(2).line().text())
                .contains("\"who\":\"ada\"", "\"reason\":\"two in the morning\"", "\"change\":\"delete\"")
                .contains("\"before\":{\"rule_id\":\"r\"", "\"after\":null");
    }

    @Test
    void aQuotaIsReadBackAsWritten() throws IOException {
        Instant until = Instant.parse("2099-01-01T00:00:00Z");
        plane.putQuota(OPERATOR, quota("k", null, until), ANY, false);
        StoredQuota before = Objects.requireNonNull(plane.quotas().get("k"));
        reopen();
        assertThat(plane.quotas().get("k")).isEqualTo(before);
        assertThat(before.tier()).isEqualTo("enterprise");
        assertThat(before.expiresAt()).isEqualTo(until);
        assertThat(before.overrides()).hasSize(1);
    }

    @Test
    void anOverrideByTheCalendarIsReadBackAsWritten() throws IOException {
        DiagnosticCollector problems = new DiagnosticCollector("body");
        String body = "{overrides: [{descriptor: default, requests_per_unit: 9, unit: calendar_month}]}";
        StoredQuota written = QuotaBody.read("k", body.getBytes(StandardCharsets.UTF_8), null, problems);
        plane.putQuota(OPERATOR, Objects.requireNonNull(written, problems.all()::toString), ANY, false);
        reopen();
        StoredOverride read =
                Objects.requireNonNull(plane.quotas().get("k")).overrides().get(0);
        assertThat(read.unit().text()).isEqualTo("calendar_month");
        assertThat(read.compiled().own()).isEqualTo(Limit.calendarWindow(9, CalendarWindow.MONTH));
    }

    @Test
    void aQuotaBeginsAndEndsOnTime() {
        Instant from = Instant.now().plusMillis(700);
        Instant until = from.plusMillis(700);
        plane.putQuota(OPERATOR, quota("k", from, until), ANY, false);
        assertOnTime(from, () -> plane.quotas().of("k") != null);
        CallerOverrides held = plane.quotas().of("k");
        assertThat(Objects.requireNonNull(held).tier()).isEqualTo("enterprise");
        assertOnTime(until, () -> plane.quotas().of("k") == null);
    }

    /** Not before {@code moment}, and no later than a quarter of a second after it, if the machine lets threads run when they should. */
    private static void assertOnTime(Instant moment, BooleanSupplier so) {
        long longestPause = 0;
        long looked = System.nanoTime();
        while (!so.getAsBoolean()) {
            assertThat(Instant.now()).isBefore(moment.plusSeconds(10));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            long now = System.nanoTime();
            longestPause = Math.max(longestPause, now - looked);
            looked = now;
        }
        assertThat(Instant.now()).isBetween(moment, moment.plusMillis(250).plusNanos(3 * longestPause));
    }

    @Test
    void aTokenIsValidAtOnceAndAfterARestartAndItsSecretIsNotStored() throws IOException {
        String text = reveal(plane.tokens().create(OPERATOR, "ci", Role.OPERATOR, null, false));
        assertThat(text).matches("weir_[a-z0-9]{10}_[0-9A-Za-z]{43}");
        assertThat(holder(text)).isEqualTo("ci");
        assertThat(holder(text.substring(0, text.length() - 1) + (text.endsWith("A") ? "B" : "A")))
                .isNull();
        assertThat(holder(text.replaceFirst("weir_.", "weir_" + (text.charAt(5) == 'a' ? 'b' : 'a'))))
                .isNull();
        reopen();
        assertThat(holder(text)).isEqualTo("ci");
        String secret = text.substring(text.lastIndexOf('_') + 1);
        String line = plane.audit(0, 10).get(0).line().text();
        assertThat(line).contains("\"kind\":\"token\"", "\"name\":\"ci\"", "\"role\":\"operator\"");
        assertThat(line).doesNotContain(secret, TokenText.hash(secret));
    }

    @Test
    void aRotatedTokenKeepsItsNameAndTheOldSecretForAWhile() {
        String first = reveal(plane.tokens().create(OPERATOR, "ci", Role.ADMIN, null, false));
        String second = reveal(plane.tokens().rotate(OPERATOR, "ci", Duration.ofMillis(400), null, ANY, false));
        assertThat(holder(first)).isEqualTo("ci");
        assertThat(holder(second)).isEqualTo("ci");
        assertThat(TokenText.idOf(second)).isEqualTo(TokenText.idOf(first));
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> holder(first) == null);
        String third = reveal(plane.tokens().rotate(OPERATOR, TokenText.idOf(first), Duration.ZERO, null, ANY, false));
        assertThat(holder(second)).isNull();
        assertThat(holder(third)).isEqualTo("ci");
    }

    @Test
    void aRevokedOrExpiredTokenIsRefused() {
        String text = reveal(plane.tokens().create(OPERATOR, "ci", Role.VIEWER, null, false));
        plane.tokens().revoke(OPERATOR, "ci", ANY, false);
        assertThat(holder(text)).isNull();
        assertThat(plane.tokens().all()).isEmpty();
        String brief = reveal(plane.tokens()
                .create(OPERATOR, "brief", Role.VIEWER, Instant.now().plusMillis(300), false));
        assertThat(holder(brief)).isEqualTo("brief");
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> holder(brief) == null);
        assertThat(plane.tokens().book().find(brief, Instant.now())).isInstanceOf(TokenCache.Found.Expired.class);
        assertThatThrownBy(() -> plane.tokens().rotate(OPERATOR, "brief", Duration.ZERO, null, ANY, false))
                .isInstanceOf(ChangeRefusedException.class)
                .hasMessageContaining("expires_at: the token expired at");
    }

    @Test
    void anInvalidTokenRequestIsRefused() {
        plane.tokens().create(OPERATOR, "ci", Role.VIEWER, null, false);
        assertThatThrownBy(() -> plane.tokens().create(OPERATOR, "ci", Role.ADMIN, null, false))
                .hasMessage("name: there is a token named ci already");
        assertThatThrownBy(() -> plane.tokens().create(OPERATOR, "a b", Role.ADMIN, null, false))
                .hasMessageStartingWith("name: \"a b\" (expected: ");
        assertThatThrownBy(() -> plane.tokens().create(OPERATOR, Tokens.FIXED, Role.ADMIN, null, false))
                .hasMessageStartingWith("name: ");
        assertThatThrownBy(() -> plane.tokens().create(OPERATOR, "late", Role.ADMIN, Instant.EPOCH, false))
                .hasMessageStartingWith("expires_at: 1970");
        assertThatThrownBy(() -> plane.tokens().revoke(OPERATOR, "nobody", ANY, false))
                .hasMessage("there is no token named nobody");
        assertThat(plane.tokens()
                        .create(OPERATOR, "tried", Role.ADMIN, null, true)
                        .text())
                .isNull();
        assertThat(plane.tokens().book().size()).isEqualTo(1);
    }

    @Test
    void aBackupHoldsEverythingAndIsReadAgain(@TempDir Path elsewhere) throws IOException {
        plane.putRule(OPERATOR, "backed-up", "api", BODY, ANY, false);
        plane.tokens().create(OPERATOR, "backup", Role.ADMIN, null, false);
        DatabaseCopy.Contents backup = plane.backup();
        assertThat(backup.rules()).extracting("id").contains("backed-up");
        assertThat(backup.tokens()).extracting("name").contains("backup");
        assertThat(backup.audit()).hasSize((int) plane.version());
        DatabaseCopy file = DatabaseCopy.at(elsewhere.resolve("backup"));
        file.save(backup);
        DatabaseCopy.Contents read = Objects.requireNonNull(file.load());
        assertThat(read.rules()).containsExactlyElementsOf(backup.rules());
        assertThat(read.tokens()).containsExactlyElementsOf(backup.tokens());
        assertThat(read.audit()).containsExactlyElementsOf(backup.audit());
        plane.putRule(OPERATOR, "after", "api", BODY, ANY, false);
    }

    @Test
    void theLastUseOfATokenIsKnownToTheMinuteAndAfterARestart() throws IOException {
        String text = reveal(plane.tokens().create(OPERATOR, "ci", Role.VIEWER, null, false));
        assertThat(plane.tokens().all().get(0).usedAt()).isNull();
        assertThat(holder(text)).isEqualTo("ci");
        Instant used = Objects.requireNonNull(plane.tokens().all().get(0).usedAt());
        assertThat(used)
                .isEqualTo(used.truncatedTo(ChronoUnit.MINUTES))
                .isAfter(Instant.now().minusSeconds(120));
        reopen();
        assertThat(plane.tokens().all().get(0).usedAt()).isEqualTo(used);
    }

    static String reveal(Tokens.Issued issued) {
        return Objects.requireNonNull(issued.text()).reveal();
    }

    private @Nullable String holder(String text) {
        return holder(plane, text);
    }

    static @Nullable String holder(ControlPlane plane, String text) {
        return plane.tokens().book().find(text, Instant.now()) instanceof TokenCache.Found.Known known
                ? known.token().name()
                : null;
    }

    static StoredQuota quota(String apiKey, @Nullable Instant from, @Nullable Instant until) {
        StoredOverride override = new StoredOverride(
                "endpoint:POST /api/v1/orders",
                500,
                Objects.requireNonNull(OverrideUnit.called("minute")),
                null,
                null,
                null);
        return new StoredQuota(
                apiKey, "enterprise", List.of(override), from, until, new StoredVersion(0, Instant.EPOCH, ""));
    }

    private static long limit(WrittenRules rules, String name) {
        return rules.rules().stream()
                .filter(each -> each.name().equals(name))
                .mapToLong(each -> Objects.requireNonNull(each.limit()).requests())
                .findFirst()
                .orElseThrow();
    }
}
