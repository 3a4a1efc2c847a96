package dev.weir.internal.limiter.check;

/** Gives out, once for the request in hand, who waits for a decision that does not come at once. */
@FunctionalInterface
public interface WaiterSupplier {

    Waiter waiter();
}
