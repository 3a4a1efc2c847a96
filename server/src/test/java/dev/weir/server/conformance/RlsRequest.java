package dev.weir.server.conformance;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as a caller writes it down: {@code ask("user", "alice").and("path", "/").hits(2)}. */
final class RlsRequest {
    /** One key with its value. */
    record Entry(String key, String value) {}

    /** The limit that a caller brings along. */
    record Given(long requestsPerUnit, ProtocolUnit unit) {}

    /** Entries, and what the caller may say about this descriptor alone; {@code hits} is an unsigned 64-bit number. */
    record Descriptor(
            List<Entry> entries,
            @Nullable Given limit,
            @Nullable Long hits,
            boolean negative) {}

    private final List<Descriptor> descriptors = new ArrayList<>();
    private long hits;
    private @Nullable String domain;

    private RlsRequest() {}

    /** A request with one descriptor. */
    static RlsRequest ask(String... keysAndValues) {
        return new RlsRequest().and(keysAndValues);
    }

    /** A request with no descriptor at all. */
    static RlsRequest askNothing() {
        return new RlsRequest();
    }

    /** Adds a descriptor. */
    RlsRequest and(String... keysAndValues) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            entries.add(new Entry(keysAndValues[i], keysAndValues[i + 1]));
        }
        descriptors.add(new Descriptor(List.copyOf(entries), null, null, false));
        return this;
    }

    /** The hits of the whole request, an unsigned 32-bit number. */
    RlsRequest hits(long hits) {
        this.hits = hits;
        return this;
    }

    /** The hits of the descriptor last added, an unsigned 64-bit number. */
    RlsRequest ownHits(long own) {
        Descriptor d = last();
        return replaceLast(new Descriptor(d.entries(), d.limit(), own, d.negative()));
    }

    /** The descriptor last added gives its hits back. */
    RlsRequest givingBack() {
        Descriptor d = last();
        return replaceLast(new Descriptor(d.entries(), d.limit(), d.hits(), true));
    }

    /** The descriptor last added brings its own limit. */
    RlsRequest limitedTo(long requests, ProtocolUnit unit) {
        Descriptor d = last();
        return replaceLast(new Descriptor(d.entries(), new Given(requests, unit), d.hits(), d.negative()));
    }

    /** Asks another domain than the scenario's own. */
    RlsRequest in(String domain) {
        this.domain = domain;
        return this;
    }

    List<Descriptor> descriptors() {
        return descriptors;
    }

    long hits() {
        return hits;
    }

    /** The domain asked, where the scenario's own is {@code own}. */
    String domain(String own) {
        return domain == null ? own : domain;
    }

    private Descriptor last() {
        return descriptors.get(descriptors.size() - 1);
    }

    private RlsRequest replaceLast(Descriptor next) {
        descriptors.set(descriptors.size() - 1, next);
        return this;
    }

    @Override
    public String toString() {
        return descriptors + (hits == 0 ? "" : " hits " + hits);
    }
}
