package dev.weir;

/**
 * Receives every decision, every store failure and every change of the rules, for example for metrics. The calls run on
 * the thread that decides, so they must be short and must not block. An exception from them reaches the caller of Weir.
 */
public interface WeirObserver {

    /** Reports a decided request. Both arguments are reused as soon as this returns: copy any data to keep. */
    default void decided(Request request, Decision decision) {}

    /** Reports a check that its store did not answer in time, so that the rule's {@code on_fail} decided. */
    default void storeFailed(StoreFailure failure) {}

    /** Reports that a {@link RuleSource} delivered new rules, which are now in force. */
    default void rulesChanged(RuleSet rules) {}

    /**
     * Reports that a {@link RuleSource} delivered invalid rules; the last good ones stay. {@code errors} is for people.
     */
    default void rulesRejected(String errors) {}
}
