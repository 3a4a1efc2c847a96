package dev.weir.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** A filter of rules, in the form in which it is sent to a server, selects the same rules there. */
class RuleSelectionTest {
    private static final List<String> RULES = List.of("a", "b", "c");

    @Test
    void rulesThatAreNewFollowTheFilter() {
        assertThat(RuleSelection.of((rule, descriptor) -> rule.equals("a"), 1, RULES))
                .containsExactly(new RuleSelection(0, false, Set.of("a")));
        assertThat(RuleSelection.of((rule, descriptor) -> !rule.equals("a"), 1, RULES))
                .containsExactly(new RuleSelection(0, true, Set.of("a")));
        assertThat(RuleSelection.of((rule, descriptor) -> true, 1, RULES)).isEmpty();
        assertThat(RuleSelection.of((rule, descriptor) -> false, 2, RULES)).isNull();
    }

    @Test
    void eachDescriptorHasItsOwn() {
        BiPredicate<String, Integer> filter =
                (rule, descriptor) -> descriptor == 0 ? rule.equals("b") : descriptor == 1 && !rule.equals("c");
        List<RuleSelection> sent = Objects.requireNonNull(RuleSelection.of(filter, 3, RULES));
        BiPredicate<String, Integer> received = RuleSelection.all(sent);
        for (int descriptor = 0; descriptor < 3; descriptor++) {
            for (String rule : List.of("a", "b", "c", "new")) {
                assertThat(received.test(rule, descriptor))
                        .as("%s of %s", rule, descriptor)
                        .isEqualTo(filter.test(rule, descriptor));
            }
        }
    }
}
