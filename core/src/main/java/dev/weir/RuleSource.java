package dev.weir;

/**
 * A source of rules: an immutable {@link RuleSet}, or a watched file or folder ({@code dev.weir.rules.Rules}).
 * Implement it to load rules from elsewhere.
 */
@FunctionalInterface
public interface RuleSource {

    /**
     * Loads the rules, passes them to {@link Listener#changed} before it returns, and reports every later change until
     * the subscription is closed.
     *
     * @throws IllegalArgumentException if the current rules are invalid; the message has every error, one per line
     */
    Subscription follow(Listener listener);

    /** Receives the rules of a source, one call at a time, on any thread. */
    interface Listener {

        /** Reports that the rules are now {@code rules}. */
        void changed(RuleSet rules);

        /**
         * Reports that changed rules are invalid: the last good ones stay in force. {@code errors} has one error per
         * line.
         */
        void rejected(String errors);
    }

    /** A listener's subscription to a source; closing it ends the subscription. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {

        /** Ends the subscription. Once it has returned, the listener is not called again. */
        @Override
        void close();
    }
}
