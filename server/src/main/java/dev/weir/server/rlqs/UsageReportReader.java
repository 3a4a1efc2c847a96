package dev.weir.server.rlqs;

import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.rls.RequestCaps;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads {@code envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports}, within the caps on requests. */
final class UsageReportReader {
    private static final int REPORT_DOMAIN = 1 << 3 | ProtobufReader.BYTES;
    private static final int REPORT_USAGE = 2 << 3 | ProtobufReader.BYTES;
    private static final int USAGE_BUCKET = 1 << 3 | ProtobufReader.BYTES;
    private static final int USAGE_ALLOWED = 3 << 3 | ProtobufReader.VARINT;
    private static final int USAGE_DENIED = 4 << 3 | ProtobufReader.VARINT;
    private static final int BUCKET_ENTRY = 1 << 3 | ProtobufReader.BYTES;
    private static final int ENTRY_KEY = 1 << 3 | ProtobufReader.BYTES;
    private static final int ENTRY_VALUE = 2 << 3 | ProtobufReader.BYTES;

    private final RequestCaps caps;

    UsageReportReader(RequestCaps caps) {
        this.caps = caps;
    }

    /**
     * Reads a message.
     *
     * @param known the domain of the stream; empty before the first message, which must name it
     */
    UsageReport read(byte[] message, String known) throws GrpcCallException {
        String domain = domain(message, known);
        List<UsageReport.Usage> usages = new ArrayList<>();
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REPORT_USAGE) {
                usages.add(usage(wire, domain));
            } else {
                wire.skip(tag);
            }
        }
        return new UsageReport(domain, usages);
    }

    /** Reads the domain first, because it may stand behind the buckets. */
    private String domain(byte[] message, String known) throws GrpcCallException {
        String domain = "";
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REPORT_DOMAIN) {
                domain = text(wire, "domain", caps.name());
            } else {
                wire.skip(tag);
            }
        }
        if (domain.isEmpty() && known.isEmpty()) {
            throw invalid("domain: empty in the first report of a stream (expected: the domain of the rules)");
        }
        if (!domain.isEmpty() && !known.isEmpty() && !domain.equals(known)) {
            throw invalid("domain: changed within a stream (expected: one stream for each domain)");
        }
        return known.isEmpty() ? domain : known;
    }

    private UsageReport.Usage usage(ProtobufReader wire, String domain) throws GrpcCallException {
        SortedMap<String, String> attributes = new TreeMap<>();
        long allowed = 0;
        long denied = 0;
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case USAGE_BUCKET -> bucket(wire, attributes);
                case USAGE_ALLOWED -> allowed = wire.saturated();
                case USAGE_DENIED -> denied = wire.saturated();
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        if (attributes.isEmpty()) {
            throw invalid("bucket_id: empty (expected: at least one attribute)");
        }
        return new UsageReport.Usage(new QuotaBucketId(domain, attributes), allowed, denied);
    }

    private void bucket(ProtobufReader wire, SortedMap<String, String> attributes) throws GrpcCallException {
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == BUCKET_ENTRY) {
                entry(wire, attributes);
            } else {
                wire.skip(tag);
            }
        }
        wire.leave(outer);
        if (attributes.size() > caps.entries()) {
            throw invalid("bucket_id: " + attributes.size() + " attributes (expected: <= " + caps.entries() + ")");
        }
    }

    private void entry(ProtobufReader wire, SortedMap<String, String> attributes) throws GrpcCallException {
        String key = "";
        String value = "";
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case ENTRY_KEY -> key = text(wire, "key of a bucket_id", caps.name());
                case ENTRY_VALUE -> value = text(wire, "value of a bucket_id", caps.value());
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        attributes.put(key, value);
    }

    private static String text(ProtobufReader wire, String what, int most) throws GrpcCallException {
        int length = wire.length();
        if (length > most) {
            throw invalid(what + ": " + length + " bytes (expected: <= " + most + ")");
        }
        String text = new String(wire.bytes(), wire.position(), length, StandardCharsets.UTF_8);
        wire.skipBytes(length);
        return text;
    }

    private static GrpcCallException invalid(String text) {
        return new GrpcCallException(GrpcStatus.INVALID_ARGUMENT, text);
    }
}
