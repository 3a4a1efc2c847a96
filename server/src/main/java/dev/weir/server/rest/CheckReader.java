package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import dev.weir.Request;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.rls.RequestCaps;
import java.util.Collection;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a check: {@code domain}, {@code cost} (or {@code hits}), and either {@code descriptors} or
 * attributes as all other members.
 */
final class CheckReader {
    private static final int SHOWN_DOMAINS = 20;

    private final JsonFactory factory;
    private final RequestCaps caps;
    private final boolean calendarMonths;

    CheckReader(JsonFactory factory, RequestCaps caps, boolean calendarMonths) {
        this.calendarMonths = calendarMonths;
        this.factory = factory;
        this.caps = caps;
    }

    /** Fills {@code into}. A body without a domain means the only one of those {@code loaded}. */
    void read(byte[] body, Supplier<? extends Collection<String>> loaded, Request into) {
        into.clear("");
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            Reading reading = new Reading(in, into);
            in.object("body");
            while (in.member()) {
                reading.member(in.name());
            }
            in.end();
            reading.end();
            into.domain(domain(reading.domain, loaded));
        }
    }

    /** The state of reading one body: members come in any order. */
    private final class Reading {
        private final JsonInput in;
        private final Request into;
        private @Nullable String domain;
        private boolean costSeen;
        private boolean descriptorsSeen;

        Reading(JsonInput in, Request into) {
            this.in = in;
            this.into = into;
        }

        void member(String name) {
            switch (name) {
                case "domain" -> domain = in.text(name, in.caps().name(), "name");
                case "cost", "hits" -> cost(name);
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

        private void cost(String name) {
            if (costSeen) {
                throw in.mistake(name + ": given both as cost and as hits", "one of them");
            }
            costSeen = true;
            into.hits(in.count(name));
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
            into.with(name, in.text(label(name), in.caps().value(), "value"));
        }
    }

    /** The domain that the caller named, or the only one loaded. */
    static String domain(@Nullable String named, Supplier<? extends Collection<String>> loaded) {
        if (named != null && !named.isEmpty()) {
            return named;
        }
        Collection<String> domains = loaded.get();
        if (named != null) {
            throw HttpProblemException.badRequest("domain: \"\" (expected: " + oneOf(domains) + ")");
        }
        if (domains.size() == 1) {
            return domains.iterator().next();
        }
        throw HttpProblemException.badRequest("domain: missing (expected: " + oneOf(domains) + ")");
    }

    /** The message for a domain that does not exist. */
    static String unknown(String domain, Collection<String> loaded) {
        return "unknown domain " + CallerText.shown(domain) + " (expected: " + oneOf(loaded) + ")";
    }

    private static String oneOf(Collection<String> domains) {
        if (domains.isEmpty()) {
            return "a domain; no rules are loaded";
        }
        // Any of many will do; sorting all of them would cost too much for one request.
        String list = domains.stream()
                .limit(SHOWN_DOMAINS)
                .sorted()
                .map(CallerText::shown)
                .collect(Collectors.joining(", ", "one of ", ""));
        return domains.size() > SHOWN_DOMAINS ? list + " and " + (domains.size() - SHOWN_DOMAINS) + " more" : list;
    }

    /** Shows a name in an error: a plain one as it is, any other in quotes. */
    private static String label(String name) {
        return name.chars()
                        .allMatch(c -> c == '_' || c == '-' || c == '.' || (Character.isLetterOrDigit(c) && c < 0x80))
                ? name
                : CallerText.shown(name);
    }
}
