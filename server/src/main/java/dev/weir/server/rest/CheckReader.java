package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.Request;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.model.Rule;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.request.UnknownNames;
import dev.weir.server.rls.RequestCaps;
import dev.weir.text.message.Suggestion;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a check: {@code domain}, {@code cost} (or {@code hits}), {@code costs} by unit, and either {@code descriptors} or
 * attributes as all other members.
 */
final class CheckReader {
    private static final String IP = "ip";
    /** The value of {@code ip} that asks for the caller's address. */
    private static final String AUTO = "auto";
    /** The most units that a request may name. */
    private static final int MOST_UNITS = 16;

    private static final int LONGEST_UNIT = 64;
    /** The longest hold that is read, characters. */
    private static final int LONGEST_HOLD = 64 << 10;

    /** The members with a meaning of their own; {@code ttl} in a reserve. */
    private static final List<String> MEMBERS = List.of("domain", "cost", "hits", "costs", "descriptors", "ttl");

    private static final List<String> SETTLE_MEMBERS = List.of("hold", "cost", "costs");

    private final JsonFactory factory;
    private final RequestCaps caps;
    private final boolean calendarMonths;

    CheckReader(JsonFactory factory, RequestCaps caps, boolean calendarMonths) {
        this.calendarMonths = calendarMonths;
        this.factory = factory;
        this.caps = caps;
    }

    /**
     * Fills {@code into}. A body without a domain means the only one of those {@code loaded}. {@code "ip": "auto"}
     * means the address of the {@code caller}.
     */
    void read(byte[] body, Supplier<? extends Collection<String>> loaded, Supplier<String> caller, Request into) {
        into.clear("");
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            Reading reading = new Reading(in, caller, into);
            in.object("body");
            while (in.member()) {
                reading.member(in.name());
            }
            in.end();
            reading.end();
            into.domain(domain(reading.domain, loaded));
        }
    }

    /** Reads the body of a reserve, which is that of a check with a {@code ttl} in seconds, and returns the ttl. */
    Duration readReserve(
            byte[] body, Supplier<? extends Collection<String>> loaded, Supplier<String> caller, Request into) {
        into.clear("");
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            Reading reading = new Reading(in, caller, into);
            in.object("body");
            while (in.member()) {
                if (in.name().equals("ttl")) {
                    reading.ttl();
                } else {
                    reading.member(in.name());
                }
            }
            in.end();
            reading.end();
            into.domain(domain(reading.domain, loaded));
            return reading.ttl;
        }
    }

    /** Reads the body of a settle: the costs into {@code into}; returns the hold. */
    String readSettle(byte[] body, Request into) {
        String hold = null;
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            Reading reading = new Reading(in, () -> "", into);
            in.object("body");
            while (in.member()) {
                switch (in.name()) {
                    case "hold" -> hold = in.text("hold", LONGEST_HOLD, "hold");
                    case "cost", "hits" -> reading.cost(in.name());
                    case "costs" -> reading.costs();
                    default -> throw in.unknownMember("hold, cost or costs", SETTLE_MEMBERS);
                }
            }
            in.end();
        }
        if (hold == null) {
            throw HttpProblemException.badRequest("hold: missing (expected: the hold that reserve answered)");
        }
        return hold;
    }

    /** The state of reading one body: members come in any order. */
    private final class Reading {
        private final JsonInput in;
        private final Supplier<String> caller;
        private final Request into;
        private @Nullable String domain;
        private boolean costSeen;
        private boolean costsSeen;
        private Duration ttl = Holds.DEFAULT_TTL;
        private boolean descriptorsSeen;

        Reading(JsonInput in, Supplier<String> caller, Request into) {
            this.in = in;
            this.caller = caller;
            this.into = into;
        }

        void member(String name) {
            switch (name) {
                case "domain" -> domain = in.text(name, in.caps().name(), "name");
                case "cost", "hits" -> cost(name);
                case "costs" -> costs();
                case "descriptors" -> descriptors();
                default -> attribute(name);
            }
        }

        void end() {
            if (descriptorsSeen && into.descriptors() == 0) {
                throw HttpProblemException.badRequest("descriptors: none (expected: at least one)");
            }
            if (!descriptorsSeen) {
                if (into.descriptors() == 0) {
                    into.descriptor();
                }
                into.asAttributes();
            }
        }

        private void ttl() {
            long seconds = in.count("ttl");
            if (seconds < 1 || seconds > Holds.LONGEST_TTL.toSeconds()) {
                throw in.mistake("ttl: " + seconds, "seconds, 1 to " + Holds.LONGEST_TTL.toSeconds());
            }
            ttl = Duration.ofSeconds(seconds);
        }

        private void cost(String name) {
            if (costSeen) {
                throw in.mistake(name + ": requests are given twice", "one of cost, hits and costs.requests");
            }
            costSeen = true;
            into.hits(in.count(name));
        }

        /** Reads the hits of each unit: {@code {"requests": 1, "output_tokens": 800}}. */
        private void costs() {
            if (costsSeen) {
                throw in.mistake("costs: given twice", "one object");
            }
            costsSeen = true;
            in.object("costs");
            for (int units = 0; in.member(); units++) {
                String unit = in.name();
                if (units == MOST_UNITS || unit.length() > LONGEST_UNIT) {
                    throw in.mistake(
                            "costs: too many units, or too long a name",
                            "at most " + MOST_UNITS + " units of at most " + LONGEST_UNIT + " characters");
                }
                if (unit.equals(Rule.REQUESTS)) {
                    cost("costs." + unit);
                } else if (into.names(unit)) {
                    throw in.mistake("costs." + label(unit) + ": given twice", "each unit once");
                } else {
                    into.hits(unit, in.count("costs." + label(unit)));
                }
            }
        }

        private void descriptors() {
            if (into.descriptors() > 0) {
                throw in.mistake(
                        "descriptors: given together with " + CallerText.shown(into.key(0)), "one or the other");
            }
            descriptorsSeen = true;
            DescriptorJson list = new DescriptorJson(in, into, calendarMonths);
            list.read(in.next());
            if (list.anyGivesBack()) {
                throw in.mistake("isNegativeHits: true", "false; use gRPC or /json to give hits back");
            }
        }

        private void attribute(String name) {
            if (descriptorsSeen) {
                throw in.mistake(CallerText.shown(name) + ": given together with descriptors", "one or the other");
            }
            int cap = in.caps().entries();
            if (into.descriptors() > 0 && into.end(0) == cap) {
                throw in.mistake("attributes: too many", "at most " + cap);
            }
            if (in.next() != JsonToken.VALUE_STRING) {
                throw notText(name);
            }
            String value = in.currentText(label(name), in.caps().value(), "value");
            into.with(name, value.equals(AUTO) && name.equals(IP) ? caller.get() : value);
        }

        /** The mistake of an attribute that is no text: perhaps a misspelt member, since attributes have any name. */
        private HttpProblemException notText(String name) {
            String meant = Suggestion.nearest(name, MEMBERS);
            return in.mistake(
                    label(name) + ": " + in.value(),
                    "a string" + (meant == null ? "" : "; " + Suggestion.meant(meant)));
        }
    }

    /** The domain that the caller named, or the only one loaded. */
    static String domain(@Nullable String named, Supplier<? extends Collection<String>> loaded) {
        if (named != null && !named.isEmpty()) {
            return named;
        }
        Collection<String> domains = loaded.get();
        if (named != null) {
            throw HttpProblemException.badRequest("domain: \"\" (expected: " + UnknownNames.oneOf(domains) + ")");
        }
        if (domains.size() == 1) {
            return domains.iterator().next();
        }
        throw HttpProblemException.badRequest("domain: missing (expected: " + UnknownNames.oneOf(domains) + ")");
    }

    /** Shows a name in an error: a plain one as it is, any other in quotes. */
    private static String label(String name) {
        return name.chars()
                        .allMatch(c -> c == '_' || c == '-' || c == '.' || (Character.isLetterOrDigit(c) && c < 0x80))
                ? name
                : CallerText.shown(name);
    }
}
