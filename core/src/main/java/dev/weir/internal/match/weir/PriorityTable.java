package dev.weir.internal.match.weir;

import dev.weir.LoadShedder.Priority;
import dev.weir.internal.match.AttributePositions;
import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.EndpointPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds how important a request is: the first entry of {@code priorities} that matches says so; without one, GET and HEAD
 * read and all others write. The attribute {@code priority}, which a caller may set, can only lower it.
 */
final class PriorityTable {
    private static final Priority[] ALL = Priority.values();

    private final CompiledCondition[][] conditions;
    private final Priority[] priorities;
    private final int asked;

    PriorityTable(List<PriorityRule> rules, AttributePositions positions) {
        this.conditions = new CompiledCondition[rules.size()][];
        this.priorities = new Priority[rules.size()];
        for (int i = 0; i < rules.size(); i++) {
            PriorityRule rule = rules.get(i);
            conditions[i] = rule.matchIn(positions.form()).stream()
                    .filter(each -> each.anyOf().stream()
                            .noneMatch(one -> one instanceof EndpointPattern endpoint && endpoint.isAny()))
                    .map(each ->
                            new CompiledCondition(positions.of(each.attribute(), rule.ignoresCase()), each.anyOf()))
                    .toArray(CompiledCondition[]::new);
            priorities[i] = rule.is();
        }
        positions.of(Attributes.METHOD, false); // so that it is read from the endpoint, too
        this.asked = positions.of(Attributes.PRIORITY, false);
    }

    Priority of(AttributeValues request) {
        Priority given = given(request);
        Priority wanted = parse(request.value(asked));
        return wanted != null && wanted.compareTo(given) < 0 ? wanted : given;
    }

    private Priority given(AttributeValues request) {
        for (int i = 0; i < conditions.length; i++) {
            if (holds(conditions[i], request)) {
                return priorities[i];
            }
        }
        String method = request.value(AttributeValues.METHOD);
        boolean reads = "GET".equalsIgnoreCase(method) || "HEAD".equalsIgnoreCase(method);
        return reads ? Priority.READ : Priority.WRITE;
    }

    private static boolean holds(CompiledCondition[] all, AttributeValues request) {
        for (CompiledCondition each : all) {
            if (!each.holds(request)) {
                return false;
            }
        }
        return true;
    }

    /** Null for a text that is no priority: it is ignored. */
    private static @Nullable Priority parse(@Nullable String text) {
        for (int i = 0; text != null && i < ALL.length; i++) {
            if (ALL[i].name().equalsIgnoreCase(text)) {
                return ALL[i];
            }
        }
        return null;
    }
}
