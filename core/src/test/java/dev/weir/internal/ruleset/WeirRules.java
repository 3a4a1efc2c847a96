package dev.weir.internal.ruleset;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rules in Weir's spelling, written short. */
public final class WeirRules {
    public static final Limit PER_MINUTE = Limit.slidingWindow(10, Duration.ofMinutes(1));

    private WeirRules() {}

    public static RuleBuilder rule(String name) {
        return rule(name, PER_MINUTE);
    }

    public static RuleBuilder rule(String name, Limit limit) {
        return Rule.builder("d", name).name(name).label(name).limit(limit);
    }

    /** A rule by {@code name} with a key, and conditions as pairs of attribute and {@code a|b} values. */
    public static WeirRule rule(String name, KeyBy keyBy, String... conditions) {
        return rule(rule(name).build(), keyBy, conditions);
    }

    public static WeirRule rule(Rule rule, KeyBy keyBy, String... conditions) {
        List<Condition> match = new ArrayList<>();
        for (int i = 0; i < conditions.length; i += 2) {
            match.add(Condition.of(conditions[i], conditions[i + 1].split("\\|")));
        }
        return new WeirRule(rule, match, keyBy);
    }

    public static WrittenRules rules(WeirRule... rules) {
        return WrittenRules.builder().weir("d", Arrays.asList(rules)).build();
    }

    /** A request of one descriptor with these pairs of attribute and value. */
    public static Request ask(String... pairs) {
        Request request = Request.to("d").descriptor();
        for (int i = 0; i < pairs.length; i += 2) {
            request.with(pairs[i], pairs[i + 1]);
        }
        return request;
    }
}
