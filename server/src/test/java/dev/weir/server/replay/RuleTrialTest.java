package dev.weir.server.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Limit;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.control.decisions.DecisionSinkSettings.Requests;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that are tried on what a server has recorded. */
class RuleTrialTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("decisions.jsonl");
    }

    private RuleTrial trial(Requests requests) {
        DecisionSinkSettings settings = new DecisionSinkSettings(
                new DecisionSinkSettings.File(file, 1 << 30, Duration.ofDays(1), 1),
                null,
                0,
                false,
                DecisionSinkSettings.KeyShown.PLAIN,
                null,
                "n",
                null,
                requests,
                Set.of(),
                64);
        return new RuleTrial(settings, EndpointForm.NORMAL, Duration.ofMinutes(2));
    }

    private static WrittenRules rules(int number, int limit) {
        List<WeirRule> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            Rule rule = Rule.builder("api", "r" + i)
                    .label("r" + i)
                    .limit(Limit.fixedWindow(limit, Duration.ofDays(365)))
                    .build();
            all.add(new WeirRule(rule, List.of(), KeyBy.of("user_id")));
        }
        return WrittenRules.builder().weir("api", all).build();
    }

    private void record(int requests, int padding) throws Exception {
        String more = "x".repeat(padding);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < requests; i++) {
                out.write(String.format(
                        Locale.ROOT,
                        "{\"time\":\"2026-11-16T05:30:%02d.%06dZ\",\"node\":\"n\",\"domain\":\"api\",\"request\":[{\"user_id\":"
                                + "\"u1\",\"more\":\"%s\"}],\"attributes\":true,\"passed\":true}%n",
                        i / 1_000_000,
                        i % 1_000_000,
                        more));
            }
        }
    }

    @Test
    void bothSetsOfRulesDecideTheRecordedRequests() throws Exception {
        record(10, 1);
        ReplayResult result = Objects.requireNonNull(trial(Requests.ALL).play(rules(1, 8), rules(1, 3)));
        assertThat(result.totals().requests()).isEqualTo(10);
        assertThat(result.totals().before()).isEqualTo(2);
        assertThat(result.totals().now()).isEqualTo(7);
        assertThat(result.totals().more()).isEqualTo(5);
        assertThat(result.changed(5))
                .singleElement()
                .satisfies(each -> assertThat(each.caller()).isEqualTo("user_id=u1"));
    }

    @Test
    void ofALongFileTheLastWholeLinesAreRead() throws Exception {
        int lines = 20_000;
        record(lines, 1_000);
        long most = 16 << 20;
        long size = Files.size(file);
        assertThat(size).isGreaterThan(most);
        ReplayResult result = Objects.requireNonNull(trial(Requests.ALL).play(rules(1, 8), rules(1, 9)));
        assertThat(result.totals().requests()).isEqualTo(most / (size / lines));
        assertThat(result.caveats()).noneMatch(each -> each.contains("not readable") || each.contains("cut off"));
    }

    @Test
    void whatCannotBeTriedIsSaid() throws Exception {
        WrittenRules one = rules(1, 1);
        assertThatThrownBy(() -> trial(Requests.NONE).play(one, one))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("records no requests (expected: decisions_file, and decisions_requests");
        assertThatThrownBy(() -> trial(Requests.ALL).play(one, one))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("has recorded no request in " + file);
        record(1, 1);
        assertThatThrownBy(() -> trial(Requests.ALL).play(one, rules(20_001, 1)))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("there are 20001 rules (expected: at most 20000");
    }
}
