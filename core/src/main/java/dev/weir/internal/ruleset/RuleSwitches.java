package dev.weir.internal.ruleset;

import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The switches that operators set at run time. They are applied when the rules are compiled, so a decision costs the
 * same with a switch or without. The global switch takes precedence over the switch of a rule; a rule that is off stays
 * off.
 */
public final class RuleSwitches {
    /** No switches. */
    public static final RuleSwitches NONE = new RuleSwitches(SwitchState.ON, Map.of());

    private final SwitchState everything;
    private final Map<Name, Setting> rules;

    /**
     * Selects the rules of {@code domain} with this id or name. A switch by id takes precedence over a switch by name.
     */
    public record Name(String domain, String rule) {}

    /**
     * The setting of one switch.
     *
     * @param rollout out of ten thousand callers, how many a rule that is on may deny
     */
    public record Setting(SwitchState state, int rollout) {

        public Setting {
            if (rollout < 0 || rollout > Rule.EVERYONE) {
                throw new IllegalArgumentException("rollout: " + rollout + " (expected: 0 to " + Rule.EVERYONE + ")");
            }
        }

        public Setting(SwitchState state) {
            this(state, Rule.EVERYONE);
        }
    }

    public RuleSwitches(SwitchState everything, Map<Name, Setting> rules) {
        this.everything = everything;
        this.rules = Map.copyOf(new HashMap<>(rules));
    }

    /** The global switch; {@link SwitchState#ON} leaves each rule as it is. */
    public SwitchState everything() {
        return everything;
    }

    Rule apply(Rule rule) {
        Setting setting = of(rule);
        Rule switched = setting == null ? rule : rule.switchedTo(setting.state(), setting.rollout());
        boolean watches = everything == SwitchState.SHADOW && !switched.isOff();
        return watches ? switched.switchedTo(SwitchState.SHADOW, Rule.EVERYONE) : switched;
    }

    private @Nullable Setting of(Rule rule) {
        if (rules.isEmpty()) {
            return null;
        }
        Setting byId = rules.get(new Name(rule.domain(), rule.id()));
        return byId != null || rule.name().isEmpty() ? byId : rules.get(new Name(rule.domain(), rule.name()));
    }
}
