package dev.weir.internal.store;

/**
 * Refuses a request that costs more than is allowed, before anything is charged. It has no stack trace, because callers
 * can cause any number of them.
 */
public final class RequestTooCostlyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String text;

    private RequestTooCostlyException(String text) {
        super(text);
        this.text = text;
    }

    /** Refuses a request that costs {@code cost} units, or more, where {@code max_request_cost} is {@code most}. */
    public static RequestTooCostlyException above(long most, long cost) {
        return new RequestTooCostlyException("request cost: " + cost + " units (expected: <= " + most
                + ", which is max_request_cost; send fewer descriptors or hits in one request)");
    }

    /** Refuses a request whose checks are taken all or none in a shared store, which takes {@code cost} units. */
    public static RequestTooCostlyException aboveStep(long cost) {
        return new RequestTooCostlyException("request cost: " + cost
                + " units in one step of a shared store (expected: <= "
                + RequestCost.MAX_STEP + ", because its checks are taken all or none; send fewer descriptors or hits"
                + " in one request)");
    }

    /** The message for the caller. */
    public String text() {
        return text;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
