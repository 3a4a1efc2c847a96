package dev.weir.internal.ruleset;

import dev.weir.RuleSource;
import dev.weir.internal.match.pattern.EndpointForm;

/** A rule source that warns of rules, and whose warnings depend on the form in which rules compare endpoints. */
public interface FormAwareRuleSource extends RuleSource {
    /** The same as {@link #follow(Listener)}, for rules that compare endpoints in {@code form}. */
    Subscription follow(Listener listener, EndpointForm form);

    @Override
    default Subscription follow(Listener listener) {
        return follow(listener, EndpointForm.NORMAL);
    }
}
