package dev.weir.testing.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes in test files, each with its place and a hint. */
class PolicyFileReaderTest {
    private static final String RULES = """
        domain: api
        key_by: user_id
        rules:
          - name: writes
            limit: { requests: 10, window: 1s, burst: 20 }
        """;

    @TempDir
    Path folder;

    @Test
    void everyMistakeIsToldAtItsPlace() {
        assertThat(mistakes(RULES + """
            tests:
              - name: a
                quotas: { k1: { teir: pro } }
                steps:
                  - at: 0
                    ask: { user_id: u1 }
                  - aks: { user_id: u1 }
                  - ask: { user_id: u1 }
                    times: 100
                    every: 10ms
                    expect: { allowed: 20, denid: 80 }
                    rul: writes
                  - ask: { user_id: u1 }
                    times: 10
                    expect: { allowed: 5, denied: 6 }
                  - ask: { user_id: u1 }
                    rule: write
                    expect: alowed
                    retry_after: 5
                  - ask: { user_id: u1 }
                    expect: { rule: writes }
                  - load: { payments: 0.9 }
                  - ban: { caller: foo }
                  - ban: { caller: ip=foo }
                  - redis: { unreachable: 3 }
                  - redis: { unreachable: 3s, store: other }
                    times: 4
                  - lift: ip=192.0.2.1
                    load: { payments: 1 }
              - name: a
                steps: []
              - steps: [{ ask: { a: b } }]
            """))
                .containsExactly(
                        "x.test.yaml:8:21: unknown field 'teir' (did you mean tier?)",
                        "x.test.yaml:10:13: at: '0' (no unit; did you mean 0s?)",
                        "x.test.yaml:12:9: unknown field 'aks' (did you mean ask?)",
                        "x.test.yaml:16:32: unknown field 'denid' (did you mean denied?)",
                        "x.test.yaml:17:9: unknown field 'rul' (did you mean rule?)",
                        "x.test.yaml:20:39: allowed and denied: 11 in all (expected: 10, as many as the step has"
                                + " requests)",
                        "x.test.yaml:22:15: unknown rule 'write' (did you mean writes?)",
                        "x.test.yaml:23:17: expect: 'alowed' (did you mean allowed?)",
                        "x.test.yaml:24:22: retry_after: '5' (no unit; did you mean 5s?)",
                        "x.test.yaml:26:19: unknown field 'rule' (it belongs beside expect)",
                        "x.test.yaml:27:17: no rule follows 'payments' (no rule has follows)",
                        "x.test.yaml:28:24: caller: 'foo' (expected: an attribute and its value, like ip=192.0.2.1)",
                        "x.test.yaml:29:24: caller: foo (expected: an address, or a block like 10.0.0.0/8)",
                        "x.test.yaml:30:31: unreachable: '3' (no unit; did you mean 3s?)",
                        "x.test.yaml:31:42: no rule counts in 'other' (expected: one of default)",
                        "x.test.yaml:32:9: times beside redis (only a step with ask has it)",
                        "x.test.yaml:33:9: load and lift in one step (expected: one of ask, load, ban, lift, redis)",
                        "x.test.yaml:35:11: duplicate name 'a' (first at 7:11)",
                        "x.test.yaml:36:12: steps: empty (expected: a list, like - { ask: { user_id: u1 }, expect:"
                                + " allowed })",
                        "x.test.yaml:37:5: name: missing (expected: what the rules should do, in words)",
                        "x.test.yaml:37:5: the test expects nothing (add expect: allowed, or denied, to a step)");
    }

    @Test
    void mistakesOfTheRulesStandAtTheirPlaceToo() {
        assertThat(mistakes("""
            tests:
              - name: a
                steps: [{ ask: { user_id: u1 }, expect: allowed }]
            rules:
              - name: writes
                limt: { requests: 10, window: 1s }
            """)).containsExactly("x.test.yaml:6:5: unknown field 'limt' (did you mean limit?)");
    }

    @Test
    void theRulesBesideAFileAreItsRules() throws Exception {
        Files.writeString(folder.resolve("x.yaml"), RULES);
        PolicyFile file = read("tests: [{ name: a, steps: [{ ask: { user_id: u1 }, expect: allowed }] }]");
        assertThat(file.diagnostics()).isEmpty();
        assertThat(file.tests()).hasSize(1);
        assertThat(file.sources()).containsExactly(folder.resolve("x.yaml"));
    }

    @Test
    void rulesThatAreMissingAreAMistake() {
        String tests = "tests: [{ name: a, steps: [{ ask: { user_id: u1 }, expect: allowed }] }]";
        assertThat(mistakes(tests))
                .containsExactly(
                        "x.test.yaml:1:1: rules: missing (expected: the path of a rule file or folder, or the rules"
                                + " themselves)");
        assertThat(mistakes("rules: [nowhere.yaml]\n" + tests).get(0))
                .startsWith("x.test.yaml:1:9: rules: no such file: ")
                .endsWith("nowhere.yaml (expected: a path from this file)");
    }

    @Test
    void severalDomainsNeedOneToBeNamed() throws Exception {
        Files.writeString(folder.resolve("a.yaml"), RULES);
        Files.writeString(folder.resolve("b.yaml"), RULES.replace("api", "edge"));
        String tests =
                "rules: [a.yaml, b.yaml]\ntests: [{ name: a, steps: [{ ask: { user_id: u1 }, expect: allowed }] }]";
        assertThat(mistakes(tests)).containsExactly("x.test.yaml:2:28: domain: missing (expected: one of api, edge)");
        assertThat(mistakes("domain: edge\n" + tests)).isEmpty();
        assertThat(mistakes("domain: egde\n" + tests))
                .containsExactly("x.test.yaml:3:28: unknown domain 'egde' (did you mean edge?)");
    }

    private List<String> mistakes(String text) {
        return read(text).diagnostics().stream().map(Diagnostic::toString).toList();
    }

    private PolicyFile read(String text) {
        return PolicyFileReader.read(
                "x.test.yaml",
                text.getBytes(StandardCharsets.UTF_8),
                folder.resolve("x.test.yaml"),
                LoadOptions.DEFAULT);
    }
}
