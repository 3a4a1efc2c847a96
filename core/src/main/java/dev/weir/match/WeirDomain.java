package dev.weir.match;

import dev.weir.model.Request;
import dev.weir.model.Rule;
import java.util.List;
import java.util.function.UnaryOperator;

final class WeirDomain implements Domain {
    WeirDomain(List<WeirRule> rules, UnaryOperator<Rule> adopt) {
        for (WeirRule each : rules) {
            Rule unused = adopt.apply(each.rule());
        }
    }

    @Override
    public void match(Request request, Matches into) {}
}
