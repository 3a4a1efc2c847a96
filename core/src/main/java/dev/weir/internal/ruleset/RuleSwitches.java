package dev.weir.internal.ruleset;

import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What operators have switched while it runs, to be laid over the rules when they are compiled: so a decision costs the same
 * with a switch or without. What everything is switched to goes before what a rule is; a rule that is off stays off.
 */
public final class RuleSwitches {
    /** Nothing was switched. */
    public static final RuleSwitches NONE = new RuleSwitches(SwitchState.ON, Map.of());

    private final SwitchState everything;
    private final Map<Name, Setting> rules;

    /**
     * Which rules: those of {@code domain} that have the id, or the name. One switched by its id goes by that, whatever its name
     * was switched to.
     */
    public record Name(String domain, String rule) {}

    /**
     * What a rule is switched to.
     *
     * @param rollout of ten thousand callers, how many a rule that is on denies
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

    /** What everything is switched to; {@link SwitchState#ON} leaves it to the rules. */
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
