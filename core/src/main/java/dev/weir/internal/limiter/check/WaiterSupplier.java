package dev.weir.internal.limiter.check;

/** Creates the waiter of the current request, called once if the decision does not come at once. */
@FunctionalInterface
public interface WaiterSupplier {

    Waiter waiter();
}
