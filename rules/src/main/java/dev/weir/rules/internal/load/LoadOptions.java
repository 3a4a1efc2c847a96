package dev.weir.rules.internal.load;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.rules.internal.grammar.StoreNames;
import dev.weir.rules.internal.regions.RegionNames;
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
 * @param regions the regions that a rule may name
 */
public record LoadOptions(
        boolean mergeDomains,
        @Nullable Set<String> stores,
        boolean calendarMonths,
        EndpointForm endpointForm,
        RegionNames regions) {
    /** One file per domain, any stores. */
    public static final LoadOptions DEFAULT = new LoadOptions(false);

    public LoadOptions(boolean mergeDomains) {
        this(mergeDomains, null);
    }

    public LoadOptions(boolean mergeDomains, @Nullable Set<String> stores) {
        this(mergeDomains, stores, false, EndpointForm.NORMAL, RegionNames.ANY);
    }

    /** The same options for rules that compare endpoints in {@code form}. */
    public LoadOptions in(EndpointForm form) {
        return new LoadOptions(mergeDomains, stores, calendarMonths, form, regions);
    }

    /** The same options for a process that knows these regions. */
    public LoadOptions with(RegionNames names) {
        return new LoadOptions(mergeDomains, stores, calendarMonths, endpointForm, names);
    }

    /** The names of stores and regions that a rule may use. */
    public StoreNames names() {
        return new StoreNames(stores, regions);
    }
}
