package dev.weir.match;

import java.util.function.Predicate;

/** What a rule asks of one value. Every kind decides in time linear in the value. */
public sealed interface ValuePattern {

    boolean matches(String value);

    /** Exactly this text. */
    record Exact(String text) implements ValuePattern {
        @Override
        public boolean matches(String value) {
            return text.equals(value);
        }
    }

    /** A regular expression, compiled by whoever has an engine that runs in linear time. */
    record Regex(String text, Predicate<String> engine) implements ValuePattern {
        @Override
        public boolean matches(String value) {
            return engine.test(value);
        }
    }
}
