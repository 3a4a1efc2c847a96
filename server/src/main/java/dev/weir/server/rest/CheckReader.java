package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.model.Request;
import java.util.Collection;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a check: {@code domain}, {@code cost} (or {@code hits}), and either {@code descriptors} or, in every other
 * member, an attribute.
 */
final class CheckReader {
    private static final int SHOWN_DOMAINS = 20;

    private final JsonFactory factory;
    private final RestSettings.Caps caps;

    CheckReader(JsonFactory factory, RestSettings.Caps caps) {
        this.factory = factory;
        this.caps = caps;
    }

    /** Fills {@code into}; a body without a domain means the only one of those {@code loaded}. */
    void read(byte[] body, Supplier<? extends Collection<String>> loaded, Request into) {
        into.clear("");
        boolean domainSeen = false;
        boolean costSeen = false;
        boolean descriptorsSeen = false;
        String attribute = "";
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            in.object("body");
            while (in.member()) {
                String name = in.name();
                switch (name) {
                    case "domain" -> {
                        into.domain(in.text("domain", caps.name(), "name"));
                        domainSeen = true;
                    }
                    case "cost", "hits" -> {
                        if (costSeen) {
                            throw in.mistake(name + ": given as cost and as hits", "one of them");
                        }
                        costSeen = true;
                        into.hits(in.count(name));
                    }
                    case "descriptors" -> {
                        if (!attribute.isEmpty()) {
                            throw in.mistake("descriptors: given beside " + Texts.shown(attribute), "one or the other");
                        }
                        JsonToken first = in.next();
                        DescriptorJson descriptors = new DescriptorJson(in, into);
                        descriptors.read(first);
                        if (descriptors.anyGivesBack()) {
                            throw in.mistake("isNegativeHits: true", "to give back over gRPC or /json");
                        }
                        descriptorsSeen = true;
                    }
                    default -> {
                        if (descriptorsSeen) {
                            throw in.mistake(Texts.shown(name) + ": given beside descriptors", "one or the other");
                        }
                        if (into.descriptors() > 0 && into.end(0) == caps.entries()) {
                            throw in.mistake(
                                    "attributes: more than " + caps.entries(),
                                    "at most " + caps.entries() + ", the cap on entries");
                        }
                        attribute = name;
                        into.with(name, in.text(label(name), caps.value(), "value"));
                    }
                }
            }
            in.end();
        }
        if (descriptorsSeen && into.descriptors() == 0) {
            throw RestException.badRequest("descriptors: none (expected: at least one)");
        }
        if (!descriptorsSeen) {
            if (into.descriptors() == 0) {
                into.descriptor();
            }
            into.asAttributes();
        }
        into.domain(domain(domainSeen ? into.domain() : null, loaded));
    }

    /** The domain that the caller named, or the only one there is. */
    static String domain(@Nullable String named, Supplier<? extends Collection<String>> loaded) {
        if (named != null && !named.isEmpty()) {
            return named;
        }
        Collection<String> domains = loaded.get();
        if (named != null) {
            throw RestException.badRequest("domain: \"\" (expected: " + oneOf(domains) + ")");
        }
        if (domains.size() == 1) {
            return domains.iterator().next();
        }
        throw RestException.badRequest("domain: missing (expected: " + oneOf(domains) + ")");
    }

    private static String oneOf(Collection<String> domains) {
        if (domains.isEmpty()) {
            return "a domain; no rules are loaded";
        }
        StringBuilder list = new StringBuilder("one of ");
        int shown = 0;
        for (String each : new TreeSet<>(domains)) {
            if (shown == SHOWN_DOMAINS) {
                return list.append(" and ")
                        .append(domains.size() - shown)
                        .append(" more")
                        .toString();
            }
            list.append(shown++ == 0 ? "" : ", ").append(Texts.shown(each));
        }
        return list.toString();
    }

    /** A name that an error may repeat: plain as it is, anything else in quotes. */
    private static String label(String name) {
        return name.chars()
                        .allMatch(c -> c == '_' || c == '-' || c == '.' || (Character.isLetterOrDigit(c) && c < 0x80))
                ? name
                : Texts.shown(name);
    }
}
