package dev.weir.control.switches;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlReader;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A switch change as a request body states it. Reading it reports every mistake with its position.
 *
 * @param reason why; null if the body gives none
 */
public record SwitchBody(Setting setting, @Nullable String reason) {
    private static final List<String> STATES = List.of("on", "off", "shadow");
    private static final int LONGEST_REASON = 200;

    /** Reads a body; null if {@code problems} has errors. */
    public static @Nullable SwitchBody read(byte[] bytes, boolean everything, DiagnosticCollector problems) {
        YamlNode root = YamlReader.read(bytes, problems);
        if (root == null) {
            if (problems.errors() == 0) {
                problems.error(
                        new Position(1, 1), "the switch: empty", "expected: an object such as {\"state\": \"off\"}");
            }
            return null;
        }
        Fields fields = Fields.of(root, "the switch", problems);
        return fields == null ? null : read(fields, everything, problems);
    }

    private static @Nullable SwitchBody read(Fields fields, boolean everything, DiagnosticCollector problems) {
        fields.allow(List.of("state", "rollout", "reason"), Map.of("enabled", "did you mean state: on or off?"));
        SwitchState state = state(fields, problems);
        Integer rollout = fields.percent("rollout");
        if (fields.has("rollout") && everything) {
            problems.error(fields.at("rollout"), "rollout of everything", "only a single rule is rolled out");
        } else if (fields.has("rollout") && state != null && state != SwitchState.ON) {
            problems.error(
                    fields.at("rollout"),
                    "rollout beside state " + state.text(),
                    "only a rule that is on is rolled out");
        } else if (!fields.has("rollout") && !fields.has("state")) {
            problems.error(fields.at(), "neither state nor rollout", "expected: one of them; DELETE releases a switch");
        }
        String reason = fields.text("reason");
        if (reason != null
                && (reason.length() > LONGEST_REASON || reason.chars().anyMatch(Character::isISOControl))) {
            problems.error(
                    fields.at("reason"), "reason", "expected: up to " + LONGEST_REASON + " characters on one line");
        }
        if (problems.errors() > 0) {
            return null;
        }
        return new SwitchBody(
                new Setting(state == null ? SwitchState.ON : state, rollout == null ? Rule.EVERYONE : rollout), reason);
    }

    private static @Nullable SwitchState state(Fields fields, DiagnosticCollector problems) {
        String text = fields.text("state");
        if (text == null) {
            return null;
        }
        for (SwitchState each : SwitchState.values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        problems.error(fields.at("state"), "unknown state " + quote(text), Suggestion.among(text, STATES));
        return null;
    }
}
