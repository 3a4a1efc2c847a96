package dev.weir.internal.match.pattern;

import java.util.function.Predicate;

/** A pattern of a rule for one value. Every kind decides in time linear in the value and allocates nothing. */
public sealed interface ValuePattern permits ValuePattern.Exact, ValuePattern.Regex, Glob, EndpointPattern, Cidr {

    boolean matches(String value);

    /** The pattern as written in the file. */
    String text();

    /**
     * Parses {@code text} for {@code attribute}: "METHOD /path" for {@code endpoint}, an address or a CIDR block for
     * attributes that hold addresses, {@code *} for any run of characters, else the text itself. Text that begins with
     * {@code ~} is a regular expression and comes through {@link #regex}.
     *
     * @throws IllegalArgumentException if an address block is malformed
     */
    static ValuePattern parse(String attribute, String text) {
        if (attribute.equals(Attributes.ENDPOINT)) {
            return EndpointPattern.parse(text);
        }
        boolean wild = text.indexOf('*') >= 0;
        if (Attributes.isAddress(attribute) && !wild && (text.indexOf('/') >= 0 || IpAddress.isValid(text))) {
            return Cidr.parse(text);
        }
        return wild ? new Glob(text) : new Exact(text);
    }

    /** A regular expression that {@code engine} decides; {@code text} is as in the file, with its {@code ~}. */
    static ValuePattern regex(String text, Predicate<String> engine) {
        return new Regex(text, engine);
    }

    /** Matches exactly this text. */
    record Exact(String text) implements ValuePattern {
        @Override
        public boolean matches(String value) {
            return text.equals(value);
        }
    }

    /** A regular expression, compiled by an engine that runs in linear time. */
    record Regex(String text, Predicate<String> engine) implements ValuePattern {
        @Override
        public boolean matches(String value) {
            return engine.test(value);
        }
    }
}
