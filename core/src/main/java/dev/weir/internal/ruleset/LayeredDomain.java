package dev.weir.internal.ruleset;

import dev.weir.Request;
import dev.weir.internal.match.Domain;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.envoy.EnvoyDomain;
import dev.weir.internal.match.weir.WeirDomain;

/** A domain in Envoy's format with rules in Weir's format over it; a descriptor is matched against both. */
final class LayeredDomain implements Domain {
    private final EnvoyDomain tree;
    private final WeirDomain over;

    LayeredDomain(EnvoyDomain tree, WeirDomain over) {
        this.tree = tree;
        this.over = over;
    }

    @Override
    public void match(Request request, Matches into) {
        tree.match(request, into);
        int first = into.size();
        over.matchRules(request, into);
        into.mergeByDescriptor(first);
    }
}
