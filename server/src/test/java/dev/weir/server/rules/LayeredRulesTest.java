package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.ControlPlane;
import dev.weir.control.ControlSettings;
import dev.weir.control.audit.Author;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.switches.SwitchName;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.RuleLoader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of files under those of the database: whatever is edited is compiled once. */
class LayeredRulesTest {
    private static final Author OPERATOR = new Author("ada", "127.0.0.1", "two in the morning");
    private static final Precondition ANY = new Precondition.None();

    @TempDir
    Path data = Path.of("");

    private ControlPlane plane;
    private LayeredRules rules;
    private RuleIndex inForce = RuleIndex.of(WrittenRules.empty());
    private int compiled;
    private boolean refuse;

    @BeforeEach
    void open() throws Exception {
        plane = ControlPlane.open(new ControlSettings(data, null), LoadOptions.DEFAULT);
        plane.switches().follow(null, null);
        rules = new LayeredRules(files(5), List.of(), plane, this::compile);
        rules.follow(this::putInForce);
        compiled = 0;
    }

    @AfterEach
    void close() {
        plane.close();
    }

    private RuleIndex compile(WrittenRules written, OverrideLookup quotas, RuleSwitches switches) {
        compiled++;
        return RuleIndex.of(written, quotas, switches);
    }

    private void putInForce(RuleIndex next) {
        if (refuse) {
            throw new IllegalArgumentException("cannot be counted");
        }
        inForce = next;
    }

    private static WrittenRules files(int requests) {
        return RuleLoader.parse(
                        "rules.yaml",
                        "{domain: api, rules: [{name: a, key_by: user_id, limit: {requests: " + requests
                                + ", window: 1s}}]}")
                .orThrow();
    }

    private Rule rule(String name) {
        return inForce.rules().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void newFilesAreCompiledOnce() {
        rules.files(files(7));
        assertThat(compiled).isEqualTo(1);
        assertThat(rule("a").limit()).extracting("requests").isEqualTo(7L);
        assertThat(rules.all()).isSameAs(inForce);
    }

    @Test
    void aRuleOfTheDatabaseIsCompiledOnce() {
        plane.putRule(OPERATOR, "b", "api", "{\"rate\":3,\"window\":\"1s\"}", ANY, false);
        assertThat(compiled).isEqualTo(1);
        assertThat(rule("b").limit()).extracting("requests").isEqualTo(3L);
    }

    @Test
    void aSwitchIsCompiledOnce() {
        plane.switches()
                .change(
                        OPERATOR,
                        new SwitchName("api", "a"),
                        new RuleSwitches.Setting(SwitchState.SHADOW),
                        ANY,
                        false,
                        false);
        assertThat(compiled).isEqualTo(1);
        assertThat(rule("a").shadow()).isTrue();
    }

    @Test
    void aQuotaIsNotCompiledAtAll() {
        StoredVersion never = new StoredVersion(0, Instant.EPOCH, "");
        plane.putQuota(OPERATOR, new StoredQuota("k", "pro", List.of(), null, null, never), ANY, false);
        assertThat(compiled).isZero();
    }

    @Test
    void whatCannotBePutInForceLeavesTheLastRules() {
        refuse = true;
        assertThatThrownBy(() -> rules.files(files(7))).hasMessage("cannot be counted");
        plane.putRule(OPERATOR, "b", "api", "{\"rate\":3,\"window\":\"1s\"}", ANY, false);
        refuse = false;
        assertThat(rules.all()).isSameAs(inForce);
        assertThat(rules.below().rules().rules().get(0).limit())
                .extracting("requests")
                .isEqualTo(5L);
        assertThat(rule("a").limit()).extracting("requests").isEqualTo(5L);
    }
}
