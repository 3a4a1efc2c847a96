package dev.weir.internal.match;

import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * The tier that the control plane sets for the caller of a request. Rules see it in place of the tier that the request
 * names. If the request names its caller but no tier, rules see it as if it had been sent.
 */
public final class TierOverride {
    private @Nullable String tier;

    /** Sets the tier of the caller; null if the control plane sets none, so that the request's own tier holds. */
    public void set(@Nullable String tier) {
        this.tier = tier;
    }

    /** Returns the tier that the control plane sets; null if it sets none. */
    public @Nullable String tier() {
        return tier;
    }

    /** Replaces or adds the tier among the attributes of a descriptor. */
    public void apply(AttributeValues attributes) {
        if (tier == null) {
            return;
        }
        boolean namesCaller = attributes.value(AttributeValues.API_KEY) != null
                || attributes.value(AttributeValues.CLIENT_ID) != null;
        if (namesCaller || attributes.value(AttributeValues.TIER) != null) {
            attributes.put(AttributeValues.TIER, tier);
        }
    }

    /** Returns the value of an entry of {@code request} as rules see it. */
    public String value(Request request, int entry) {
        String set = tier;
        return set != null && request.key(entry).equals(Attributes.TIER) ? set : request.value(entry);
    }

    /** Returns the tier to add to a descriptor that names its caller but no tier; null if there is none to add. */
    public @Nullable String added(Request request, int descriptor) {
        if (tier == null) {
            return null;
        }
        boolean namesCaller = request.value(descriptor, Attributes.API_KEY) != null
                || request.value(descriptor, Attributes.CLIENT_ID) != null;
        return namesCaller && request.value(descriptor, Attributes.TIER) == null ? tier : null;
    }
}
