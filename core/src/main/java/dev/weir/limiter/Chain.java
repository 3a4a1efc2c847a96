package dev.weir.limiter;

import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.Checks;

/**
 * A request whose checks live in several shared stores, asked one after the other. Each takes what its checks need if they all
 * fit and nothing denied the request before; once something has, the others are asked without taking, so that every check has
 * its verdict. What was taken of a request that is denied in the end is {@linkplain GiveBack given back}: for the moment in
 * between the others see less room than there is, never more.
 */
final class Chain extends Ask {
    private final Pending pending;
    private int[] indices = new int[4];
    private int place;

    Chain(Pending pending) {
        this.pending = pending;
    }

    void start() {
        home = pending.home;
        deadlineNanos = pending.deadlineNanos;
        place = -1;
        next();
    }

    private void next() {
        SharedPath path = pending.path();
        for (place++; place < path.stores().size(); place++) {
            if (fill() > 0) {
                denied = pending.progress.denied();
                path.stores().at(place).decide(this);
                return;
            }
        }
        path.settlement().finish(pending);
    }

    private int fill() {
        Checks all = pending.checks;
        checks.clear();
        if (indices.length < all.size()) {
            indices = new int[all.size()];
        }
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).store == place) {
                indices[checks.size()] = i;
                checks.add().set(all.get(i));
            }
        }
        checks.quotaPassed = pending.progress.quotaPassed(place);
        return checks.size();
    }

    @Override
    public void answered() {
        for (int i = 0; i < checks.size(); i++) {
            Check from = checks.get(i);
            Check to = pending.checks.get(indices[i]);
            to.failure = from.failure;
            to.outcome.set(from.outcome);
        }
        pending.path().settlement().settle(pending, this, indices);
        next();
    }
}
