package dev.weir.server.rlqs;

import dev.weir.Request;
import dev.weir.internal.counter.CounterKeyHash;
import java.util.Map;
import java.util.SortedMap;

/**
 * The name of a bucket: attributes of requests, matched as a request of the domain. Its hash has a seed that only this
 * process knows, so that nobody can choose names that share one place of a table.
 */
final class QuotaBucketId {
    private final String domain;
    private final SortedMap<String, String> attributes;
    private final int hash;

    /** {@code attributes} are by name, so that the order on the wire does not matter. */
    QuotaBucketId(String domain, SortedMap<String, String> attributes) {
        this.domain = domain;
        this.attributes = attributes;
        CounterKeyHash seeded = new CounterKeyHash().add(domain);
        attributes.forEach((name, value) -> seeded.add(name).add(value));
        this.hash = (int) seeded.end().key0();
    }

    String domain() {
        return domain;
    }

    SortedMap<String, String> attributes() {
        return attributes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QuotaBucketId id
                && hash == id.hash
                && domain.equals(id.domain)
                && attributes.equals(id.attributes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return domain + " " + attributes;
    }

    /** The memory that a bucket of this name may take, without its grants: estimated, and rather too much. */
    long bytes() {
        long characters = 0;
        for (Map.Entry<String, String> each : attributes.entrySet()) {
            characters += each.getKey().length() + each.getValue().length();
        }
        return 1_500 + 150L * attributes.size() + 8 * characters;
    }

    /** Whether {@code request}, which has one descriptor, has all attributes of this bucket. */
    boolean isMetBy(Request request) {
        return domain.equals(request.domain())
                && request.descriptors() == 1
                && attributes.entrySet().stream()
                        .allMatch(each -> each.getValue().equals(request.value(0, each.getKey())));
    }

    /** A request of this bucket that takes {@code hits}. */
    Request request(long hits) {
        Request request = Request.to(domain).asAttributes().withoutPermits().hits(hits);
        attributes.forEach(request::with);
        return request;
    }
}
