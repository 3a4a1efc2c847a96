package dev.weir;

/**
 * Sees every decision, every failure of a store and every change of the rules: what metrics are made of. All calls run on the thread
 * that decides, so they must be short and must not block; what they throw reaches whoever asked.
 */
public interface WeirObserver {

    /** A request was decided. Both arguments are reused as soon as this returns: copy what is to be kept. */
    default void decided(Request request, Decision decision) {}

    /** A check had no answer from its store in time, so the rule's {@code on_fail} decided it. */
    default void storeFailed(StoreFailure failure) {}

    /** A {@link RuleSource} brought other rules, and they are in force. */
    default void rulesChanged(RuleSet rules) {}

    /** A {@link RuleSource} brought rules that cannot be used; the last ones stay in force. {@code errors} is for people. */
    default void rulesRejected(String errors) {}
}
