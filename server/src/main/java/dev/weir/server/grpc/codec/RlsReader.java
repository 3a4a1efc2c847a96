package dev.weir.server.grpc.codec;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.model.RequestFlags;
import dev.weir.internal.model.RuleSelection;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.rls.RequestCaps;
import dev.weir.server.rls.RlsCode;
import dev.weir.server.rls.RlsUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@code RateLimitRequest} into a reused request. As protobuf requires, fields come in any order, the last
 * number or text wins, repeated messages are merged, and unknown fields are skipped.
 */
public final class RlsReader {
    private static final int REQUEST_DOMAIN = 1 << 3 | ProtobufReader.BYTES;
    private static final int REQUEST_DESCRIPTORS = 2 << 3 | ProtobufReader.BYTES;
    private static final int REQUEST_HITS = 3 << 3 | ProtobufReader.VARINT;
    /** A field of Weir's own, which {@code weir-remote} sends and other services skip. */
    private static final int REQUEST_DETAILS = 1000 << 3 | ProtobufReader.BYTES;

    private static final int DETAIL_FLAGS = 1 << 3 | ProtobufReader.VARINT;
    private static final int DETAIL_UNIT = 2 << 3 | ProtobufReader.BYTES;
    private static final int DETAIL_RULES = 3 << 3 | ProtobufReader.BYTES;
    private static final int RULES_DESCRIPTOR = 1 << 3 | ProtobufReader.VARINT;
    private static final int RULES_EXCEPT = 2 << 3 | ProtobufReader.VARINT;
    private static final int RULES_NAME = 3 << 3 | ProtobufReader.BYTES;
    private static final int UNIT_NAME = 1 << 3 | ProtobufReader.BYTES;
    private static final int UNIT_HITS = 2 << 3 | ProtobufReader.VARINT;
    private static final int DESCRIPTOR_ENTRIES = 1 << 3 | ProtobufReader.BYTES;
    private static final int DESCRIPTOR_LIMIT = 2 << 3 | ProtobufReader.BYTES;
    private static final int DESCRIPTOR_HITS = 3 << 3 | ProtobufReader.BYTES;
    private static final int DESCRIPTOR_NEGATIVE = 4 << 3 | ProtobufReader.VARINT;
    private static final int ENTRY_KEY = 1 << 3 | ProtobufReader.BYTES;
    private static final int ENTRY_VALUE = 2 << 3 | ProtobufReader.BYTES;
    private static final int LIMIT_REQUESTS = 1 << 3 | ProtobufReader.VARINT;
    private static final int LIMIT_UNIT = 2 << 3 | ProtobufReader.VARINT;
    private static final int WRAPPED = 1 << 3 | ProtobufReader.VARINT;

    private final RequestCaps caps;
    private final boolean calendarMonths;
    private final CachingTextDecoder texts;
    private final ProtobufReader wire = new ProtobufReader();
    private long hitsAddend;

    /** Reads requests; with {@code calendarMonths}, a limit per month is one of the calendar. */
    public RlsReader(RequestCaps caps, CachingTextDecoder texts, boolean calendarMonths) {
        this.caps = caps;
        this.calendarMonths = calendarMonths;
        this.texts = texts;
    }

    /** The {@code hits_addend} of the request last read; 0 if it gave none. */
    public long hitsAddend() {
        return hitsAddend;
    }

    /** Fills {@code request} from the message in {@code bytes}. */
    public void read(byte[] bytes, int from, int to, Request request) throws GrpcCallException {
        String domain = "";
        int descriptors = 0;
        long hits = 0;
        wire.over(bytes, from, to);
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case REQUEST_DOMAIN -> domain = name("domain");
                case REQUEST_HITS -> hits = wire.uint32();
                case REQUEST_DESCRIPTORS -> {
                    descriptors++;
                    wire.skipBytes(wire.length());
                }
                default -> wire.skip(tag);
            }
        }
        hitsAddend = hits;
        if (domain.isEmpty()) {
            throw invalid(RlsCode.NO_DOMAIN);
        }
        if (descriptors == 0) {
            throw invalid(RlsCode.NO_DESCRIPTORS);
        }
        if (descriptors > caps.descriptors()) {
            throw tooMany("descriptors", descriptors, caps.descriptors());
        }
        request.clear(domain);
        if (hits != 0) {
            request.hits(hits);
        }
        wire.over(bytes, from, to);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REQUEST_DESCRIPTORS) {
                descriptor(request);
            } else {
                wire.skip(tag);
            }
        }
    }

    /**
     * Adds to {@code request}, which was read from the same message, what the protocol has no field for: hits of units,
     * {@link RequestFlags}, and which rules to ask. Only messages of {@code weir-remote} have it.
     */
    public void readDetails(byte[] bytes, int from, int to, Request request) throws GrpcCallException {
        request.nameCounter();
        wire.over(bytes, from, to);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REQUEST_DETAILS) {
                details(request);
            } else {
                wire.skip(tag);
            }
        }
    }

    private void details(Request request) throws GrpcCallException {
        int units = 0;
        List<RuleSelection> selections = List.of();
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case DETAIL_FLAGS -> RequestFlags.set(wire.varint(), request);
                case DETAIL_UNIT -> {
                    if (++units > caps.entries()) {
                        throw tooMany("units", units, caps.entries());
                    }
                    unit(request);
                }
                case DETAIL_RULES -> {
                    if (selections.isEmpty()) {
                        selections = new ArrayList<>();
                    }
                    selections.add(selection());
                }
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        if (!selections.isEmpty()) {
            request.onlyRules(RuleSelection.all(List.copyOf(selections)));
        }
    }

    private RuleSelection selection() throws GrpcCallException {
        long descriptor = 0;
        boolean except = false;
        Set<String> names = new HashSet<>();
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case RULES_DESCRIPTOR -> descriptor = wire.varint();
                case RULES_EXCEPT -> except = wire.varint() != 0;
                case RULES_NAME -> names.add(name("rule"));
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        return new RuleSelection((int) descriptor, except, names);
    }

    private void unit(Request request) throws GrpcCallException {
        String unit = "";
        long hits = 0;
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case UNIT_NAME -> unit = name("unit");
                case UNIT_HITS -> hits = RequestFlags.unzigzag(wire.varint());
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        request.hits(unit, hits);
    }

    private void descriptor(Request request) throws GrpcCallException {
        request.descriptor();
        int entries = 0;
        long ownHits = -1;
        boolean negative = false;
        boolean limited = false;
        long requests = 0;
        int unit = 0;
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case DESCRIPTOR_ENTRIES -> {
                    if (++entries > caps.entries()) {
                        throw tooMany("entries of a descriptor", entries, caps.entries());
                    }
                    entry(request);
                }
                case DESCRIPTOR_LIMIT -> {
                    limited = true;
                    int descriptor = wire.enter();
                    while (wire.more()) {
                        int inner = wire.tag();
                        switch (inner) {
                            case LIMIT_REQUESTS -> requests = wire.uint32();
                            case LIMIT_UNIT -> unit = (int) wire.varint();
                            default -> wire.skip(inner);
                        }
                    }
                    wire.leave(descriptor);
                }
                case DESCRIPTOR_HITS -> ownHits = wrapped(Math.max(0, ownHits));
                case DESCRIPTOR_NEGATIVE -> negative = wire.varint() != 0;
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        if (ownHits >= 0 || negative) {
            long hits = ownHits >= 0 ? ownHits : Math.max(1, hitsAddend);
            request.descriptorHits(negative ? -hits : hits);
        }
        if (limited) {
            request.override(limit(requests, unit));
        }
    }

    private Limit limit(long requests, int unit) throws GrpcCallException {
        @Nullable Limit limit = RlsUnit.ofNumber(unit).limit(requests, calendarMonths);
        if (limit == null) {
            throw invalid("limit.unit: " + unit + " (expected: 1 to 7)");
        }
        return limit;
    }

    private void entry(Request request) throws GrpcCallException {
        String key = "";
        String value = "";
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            switch (tag) {
                case ENTRY_KEY -> key = name("key");
                case ENTRY_VALUE -> value = value();
                default -> wire.skip(tag);
            }
        }
        wire.leave(outer);
        request.with(key, value);
    }

    /** Reads a {@code UInt64Value}; {@code before} is the value of an earlier piece of the same message. */
    private long wrapped(long before) throws GrpcCallException {
        long value = before;
        int outer = wire.enter();
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == WRAPPED) {
                value = wire.saturated();
            } else {
                wire.skip(tag);
            }
        }
        wire.leave(outer);
        return value;
    }

    private String name(String what) throws GrpcCallException {
        int length = wire.length();
        if (length > caps.name()) {
            throw tooMany("bytes of a " + what, length, caps.name());
        }
        String text = texts.name(wire.bytes(), wire.position(), length);
        wire.skipBytes(length);
        return text;
    }

    private String value() throws GrpcCallException {
        int length = wire.length();
        if (length > caps.value()) {
            throw tooMany("bytes of a value", length, caps.value());
        }
        String text = texts.value(wire.bytes(), wire.position(), length);
        wire.skipBytes(length);
        return text;
    }

    private static GrpcCallException invalid(String text) {
        return new GrpcCallException(GrpcStatus.INVALID_ARGUMENT, text);
    }

    private static GrpcCallException tooMany(String what, int value, int cap) {
        return new GrpcCallException(
                GrpcStatus.RESOURCE_EXHAUSTED, what + ": " + value + " (expected: <= " + cap + ")");
    }
}
