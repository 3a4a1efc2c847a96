package dev.weir.rules.internal.load;

import dev.weir.internal.match.pattern.EndpointForm;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options for loading rule files.
 *
 * @param mergeDomains whether several files may add to one domain; otherwise that is an error, as in the reference
 *     service
 * @param stores the stores that a rule may name besides {@code default}; null if unknown, and then any name is accepted
 * @param calendarMonths whether a month of Envoy's format is one of the calendar; otherwise it has 30 days
 * @param endpointForm the form in which rules of Weir's format compare endpoints
 */
public record LoadOptions(
        boolean mergeDomains, @Nullable Set<String> stores, boolean calendarMonths, EndpointForm endpointForm) {
    /** One file per domain, any stores. */
    public static final LoadOptions DEFAULT = new LoadOptions(false);

    public LoadOptions(boolean mergeDomains) {
        this(mergeDomains, null);
    }

    public LoadOptions(boolean mergeDomains, @Nullable Set<String> stores) {
        this(mergeDomains, stores, false, EndpointForm.NORMAL);
    }

    /** The same options for rules that compare endpoints in {@code form}. */
    public LoadOptions in(EndpointForm form) {
        return new LoadOptions(mergeDomains, stores, calendarMonths, form);
    }
}
