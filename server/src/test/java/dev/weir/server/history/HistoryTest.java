package dev.weir.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.Verdict.Reason;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.metrics.RuleMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
    private static final long START = 1_790_000_000_000L;
    private static final Limit LIMIT = Limit.fixedWindow(10, Duration.ofMinutes(1));

    private long millis = START;
    private final Request request = Request.to("api");
    private final MutableDecision decision = new MutableDecision();
    private RuleMetrics metrics = new RuleMetrics(() -> millis * 1_000, false, null);
    private RuleIndex index = rules(3);

    @TempDir
    Path folder;

    private RuleIndex rules(int count) {
        StringBuilder text = new StringBuilder("domain: api\nrules:\n");
        for (int i = 0; i < count; i++) {
            text.append("  - { name: r" + i + ", key_by: ip, limit: { requests: 10, window: 1m } }\n");
        }
        RuleIndex made = RuleIndex.of(
                Objects.requireNonNull(
                        RuleLoader.parse("rules.yaml", text.toString()).rules()),
                OverrideLookup.NONE,
                RuleSwitches.NONE);
        metrics.rules(made);
        index = made;
        return made;
    }

    private void decide(int rule, boolean allowed, int times) {
        Rule of = index.rules().get(rule);
        for (int i = 0; i < times; i++) {
            decision.begin(millis * 1_000);
            decision.add()
                    .set(of, LIMIT, 0, 1, allowed ? Reason.WITHIN_LIMIT : Reason.OVER_LIMIT, 0, 0, 0, 0)
                    .counter(7);
            decision.end(allowed);
            metrics.decided(request, decision);
        }
    }

    private History history(@Nullable HistoryFiles files, long budget) {
        return new History(metrics, () -> 0, budget, files, () -> millis);
    }

    private void pass(History history, int seconds) {
        for (int i = 0; i < seconds; i++) {
            millis += 1_000;
            history.record();
        }
    }

    private static List<Integer> column(HistorySeries series, int column) {
        return series.points().stream()
                .map(each -> each == null ? Integer.valueOf(-7) : Integer.valueOf(each[column]))
                .toList();
    }

    private static HistorySeries read(History from, History.Range range, @Nullable String rule, long since) {
        return Objects.requireNonNull(from.read(range, rule == null ? null : "api", rule, since));
    }

    @Test
    void countsBySecondInAllAndPerRule() {
        History history = history(null, 48 << 20);
        decide(0, true, 3);
        decide(1, false, 2);
        pass(history, 1);
        decide(0, true, 5);
        pass(history, 2);
        HistorySeries total = read(history, History.Range.QUARTER_HOUR, null, START / 1_000);
        assertThat(total.from()).isEqualTo(START / 1_000);
        assertThat(column(total, 0)).containsExactly(3, 5, 0);
        assertThat(column(total, 1)).containsExactly(2, 0, 0);
        assertThat(column(read(history, History.Range.QUARTER_HOUR, "r1", START / 1_000), 1))
                .containsExactly(2, 0, 0);
        assertThat(history.read(History.Range.QUARTER_HOUR, "api", "r2", 0)).isNull();
        assertThat(history.lately("api", "r0", 60)[0]).isEqualTo(8);
    }

    @Test
    void timeBeforeTheStartIsAGapAndTheStartIsMarked() {
        History history = history(null, 48 << 20);
        decide(0, true, 1);
        pass(history, 2);
        HistorySeries series = read(history, History.Range.QUARTER_HOUR, null, 0);
        assertThat(series.points()).hasSize(900);
        assertThat(column(series, 0).subList(0, 898)).containsOnly(-7);
        assertThat(column(series, 0).subList(898, 900)).containsExactly(1, 0);
        assertThat(series.restarts()).containsExactly(START / 1_000);
    }

    @Test
    void aLateSampleIsSpreadAndALongPauseIsAGap() {
        History history = history(null, 48 << 20);
        pass(history, 1);
        decide(0, true, 7);
        millis += 3_000;
        history.record();
        assertThat(column(read(history, History.Range.QUARTER_HOUR, null, START / 1_000), 0))
                .containsExactly(0, 3, 2, 2);
        millis += 20_000;
        history.record();
        List<Integer> after = column(read(history, History.Range.QUARTER_HOUR, null, START / 1_000 + 4), 0);
        assertThat(after.subList(0, 15)).containsOnly(-7);
        assertThat(after.subList(15, 20)).containsOnly(0);
    }

    @Test
    void tenSecondsAddUpForSixHours() {
        History history = history(null, 48 << 20);
        for (int i = 0; i < 30; i++) {
            decide(0, true, 2);
            pass(history, 1);
        }
        HistorySeries series = read(history, History.Range.SIX_HOURS, "r0", START / 1_000);
        assertThat(series.step()).isEqualTo(10);
        assertThat(column(series, 0)).containsExactly(20, 20, 20);
    }

    @Test
    void beyondTheBusiestRulesHistoryIsByTenSecondsAndSaysSo() {
        metrics = new RuleMetrics(() -> millis * 1_000, false, null);
        rules(300);
        History history = history(null, 48 << 20);
        for (int round = 0; round < 30; round++) {
            for (int rule = 0; rule < 300; rule++) {
                decide(rule, true, rule < 150 ? 1 : 20);
            }
            pass(history, 1);
        }
        assertThat(read(history, History.Range.QUARTER_HOUR, "r299", 0).step()).isEqualTo(1);
        HistorySeries coarse = read(history, History.Range.QUARTER_HOUR, "r149", 0);
        assertThat(coarse.step()).isEqualTo(10);
        assertThat(coarse.dropped()).singleElement().asString().contains("200 busiest");
    }

    @Test
    void staysWithinItsMemoryAndSaysWhatItForgot() {
        metrics = new RuleMetrics(() -> millis * 1_000, false, null);
        rules(300);
        History history = history(null, 1 << 20);
        for (int rule = 0; rule < 300; rule++) {
            decide(rule, true, 1);
            pass(history, 1);
        }
        pass(history, 10);
        assertThat(history.bytes()).isLessThanOrEqualTo(1 << 20);
        assertThat(read(history, History.Range.SIX_HOURS, "r299", 0).dropped())
                .anyMatch(each -> each.contains("history_memory"));
    }

    @Test
    void minutesSurviveARestartWhichIsMarkedAndAGap() {
        History first = history(HistoryFiles.open(folder, 1 << 30), 48 << 20);
        for (int i = 0; i < 180; i++) {
            decide(0, true, 1);
            pass(first, 1);
        }
        first.close();
        millis += 120_000;
        metrics = new RuleMetrics(() -> millis * 1_000, false, null);
        rules(3);
        History second = history(HistoryFiles.open(folder, 1 << 30), 48 << 20);
        long restarted = millis / 1_000;
        decide(0, false, 4);
        pass(second, 120);
        HistorySeries series = read(second, History.Range.FORTNIGHT, "r0", START / 1_000 - 60);
        int sum = 0;
        for (int @Nullable [] each : series.points()) {
            sum += each == null ? 0 : each[0];
        }
        assertThat(sum).isEqualTo(180);
        assertThat(column(series, 1)).contains(4);
        assertThat(column(series, 0)).contains(-7);
        assertThat(series.restarts()).containsExactly(START / 1_000, restarted);
        second.close();
    }

    @Test
    void aFileThatWasCutOffIsReadUpToThere() throws Exception {
        History first = history(HistoryFiles.open(folder, 1 << 30), 48 << 20);
        for (int i = 0; i < 180; i++) {
            decide(0, true, 1);
            pass(first, 1);
        }
        first.close();
        try (Stream<Path> files = Files.list(folder)) {
            Path file = files.findFirst().orElseThrow();
            byte[] all = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(all, all.length - 5), StandardOpenOption.TRUNCATE_EXISTING);
        }
        History second = history(HistoryFiles.open(folder, 1 << 30), 48 << 20);
        pass(second, 60);
        assertThat(column(read(second, History.Range.FORTNIGHT, null, START / 1_000), 0))
                .contains(60);
        second.close();
    }

    @Test
    void staysWithinItsDiskAndSaysSo() throws Exception {
        metrics = new RuleMetrics(() -> millis * 1_000, false, null);
        rules(300);
        HistoryFiles files = HistoryFiles.open(folder, 1 << 20);
        History history = history(files, 48 << 20);
        for (int minute = 0; minute < 180; minute++) {
            for (int rule = 0; rule < 300; rule++) {
                decide(rule, true, 1);
            }
            millis += 55_000;
            pass(history, 5);
        }
        assertThat(files.bytes()).isBetween(900_000L, 1L << 20);
        assertThat(read(history, History.Range.FORTNIGHT, "r7", 0).dropped())
                .anyMatch(each -> each.contains("history_disk"));
        history.close();
    }
}
