package dev.weir;

/**
 * Where rules come from: a {@link RuleSet}, which never changes, or a file or folder that is watched ({@code dev.weir.rules.Rules}).
 * Implement it for rules that live elsewhere.
 */
@FunctionalInterface
public interface RuleSource {

    /**
     * Loads the rules, hands them to {@link Listener#changed} before it returns, and reports every later change until the subscription is
     * closed.
     *
     * @throws IllegalArgumentException if the rules are wrong as they stand now; the message holds every error, one a line
     */
    Subscription follow(Listener listener);

    /** Receives the rules of a source, one call at a time, on any thread. */
    interface Listener {

        /** The rules are now {@code rules}. */
        void changed(RuleSet rules);

        /** The rules were changed and are wrong: the last good ones stay in force. {@code errors} holds every error, one a line. */
        void rejected(String errors);
    }

    /** Ends the following of a source. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {

        /** When it returns, the listener is not called again. */
        @Override
        void close();
    }
}
