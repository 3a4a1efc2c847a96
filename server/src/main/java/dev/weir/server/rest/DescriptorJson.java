package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonToken;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.rls.RlsUnit;
import java.math.BigInteger;
import java.util.BitSet;

/**
 * Reads the list of descriptors in protobuf's JSON: names in camelCase or as in the {@code .proto}, numbers also as
 * text, null for absent.
 */
final class DescriptorJson {
    private static final BigInteger MAX_32 = BigInteger.valueOf(0xFFFF_FFFFL);
    private static final BigInteger MAX_64 = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private final JsonInput in;
    private final Request into;
    private final boolean calendarMonths;
    /** Descriptors that give hits back. The number of hits may be known only at the end of the request. */
    private final BitSet givesBack = new BitSet();

    /** Reads descriptors; with {@code calendarMonths}, a limit per month is one of the calendar. */
    DescriptorJson(JsonInput in, Request into, boolean calendarMonths) {
        this.in = in;
        this.calendarMonths = calendarMonths;
        this.into = into;
    }

    /** Reads the value of {@code descriptors}; the parser is at its first token. */
    void read(JsonToken first) {
        if (first == JsonToken.VALUE_NULL) {
            return;
        }
        if (first != JsonToken.START_ARRAY) {
            throw in.mistake("descriptors: " + in.value(), "a list");
        }
        for (JsonToken token = in.next(); token != JsonToken.END_ARRAY; token = in.next()) {
            int index = into.descriptors();
            if (index == in.caps().descriptors()) {
                throw in.mistake("descriptors: too many", "at most " + index);
            }
            if (token != JsonToken.START_OBJECT) {
                throw in.mistake("descriptors[" + index + "]: " + in.value(), "an object");
            }
            into.descriptor();
            descriptor("descriptors[" + index + "]");
        }
    }

    /** Negates the hits of descriptors that give back, once the hits of the request are known. */
    void end() {
        for (int i = givesBack.nextSetBit(0); i >= 0; i = givesBack.nextSetBit(i + 1)) {
            into.descriptorHits(i, -into.hitsOf(i));
        }
    }

    boolean anyGivesBack() {
        return !givesBack.isEmpty();
    }

    private void descriptor(String at) {
        int seen = 0;
        while (in.member()) {
            String name = in.name();
            seen = switch (name) {
                case "entries" -> once(seen, 1, at, name);
                case "limit" -> once(seen, 2, at, name);
                case "hitsAddend", "hits_addend" -> once(seen, 4, at, name);
                case "isNegativeHits", "is_negative_hits" -> once(seen, 8, at, name);
                default -> throw unknown(at, name, "entries, limit, hitsAddend or isNegativeHits");
            };
            JsonToken token = in.next();
            if (token == JsonToken.VALUE_NULL) {
                continue;
            }
            switch (name) {
                case "entries" -> entries(at + ".entries", token);
                case "limit" -> limit(at + ".limit", token);
                case "hitsAddend", "hits_addend" -> into.descriptorHits(in.unsigned(at + "." + name, MAX_64));
                default -> {
                    if (!token.isBoolean()) {
                        throw in.mistake(at + "." + name + ": " + in.value(), "true or false");
                    }
                    givesBack.set(into.descriptors() - 1, token == JsonToken.VALUE_TRUE);
                }
            }
        }
    }

    private void entries(String at, JsonToken first) {
        if (first != JsonToken.START_ARRAY) {
            throw in.mistake(at + ": " + in.value(), "a list");
        }
        int index = 0;
        for (JsonToken token = in.next(); token != JsonToken.END_ARRAY; token = in.next()) {
            if (index == in.caps().entries()) {
                throw in.mistake(at + ": too many", "at most " + index);
            }
            String here = at + "[" + index + "]";
            if (token != JsonToken.START_OBJECT) {
                throw in.mistake(here + ": " + in.value(), "an object");
            }
            entry(here);
            index++;
        }
    }

    private void entry(String at) {
        String key = "";
        String value = "";
        while (in.member()) {
            String name = in.name();
            boolean isKey = name.equals("key");
            if (!isKey && !name.equals("value")) {
                throw unknown(at, name, "key or value");
            }
            String what = at + "." + name;
            JsonToken token = in.next();
            if (token == JsonToken.VALUE_NULL) {
                continue;
            }
            if (token != JsonToken.VALUE_STRING) {
                throw in.mistake(what + ": " + in.value(), "a string");
            }
            if (isKey) {
                key = in.currentText(what, in.caps().name(), "name");
            } else {
                value = in.currentText(what, in.caps().value(), "value");
            }
        }
        into.with(key, value);
    }

    private void limit(String at, JsonToken first) {
        if (first != JsonToken.START_OBJECT) {
            throw in.mistake(at + ": " + in.value(), "an object");
        }
        long requests = 0;
        RlsUnit unit = RlsUnit.UNKNOWN;
        int seen = 0;
        while (in.member()) {
            String name = in.name();
            seen = switch (name) {
                case "requestsPerUnit", "requests_per_unit" -> once(seen, 1, at, name);
                case "unit" -> once(seen, 2, at, name);
                default -> throw unknown(at, name, "requestsPerUnit or unit");
            };
            JsonToken token = in.next();
            if (token == JsonToken.VALUE_NULL) {
                continue;
            }
            if (name.equals("unit")) {
                unit = unit(at + ".unit", token);
            } else {
                requests = in.unsigned(at + "." + name, MAX_32);
            }
        }
        Limit limit = unit.limit(requests, calendarMonths);
        if (limit == null) {
            throw in.mistake(at + ".unit: UNKNOWN", UNITS);
        }
        into.override(limit);
    }

    private static final String UNITS = "SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR";

    private RlsUnit unit(String at, JsonToken token) {
        RlsUnit unit = null;
        if (token == JsonToken.VALUE_STRING) {
            unit = RlsUnit.ofName(in.currentText(at, in.caps().name(), "name"));
        } else if (token.isNumeric()) {
            unit = RlsUnit.ofNumber((int) Math.min(Integer.MAX_VALUE, in.unsigned(at, MAX_32)));
        }
        if (unit == null) {
            throw in.mistake(at + ": " + in.value(), UNITS);
        }
        return unit;
    }

    /** Refuses the other form of a name that was given; the parser itself refuses the same form twice. */
    private int once(int seen, int bit, String at, String name) {
        if ((seen & bit) != 0) {
            throw in.mistake(at + "." + name + ": given twice", "once");
        }
        return seen | bit;
    }

    private HttpProblemException unknown(String at, String name, String expected) {
        return in.mistake(at + ": unknown member " + CallerText.shown(name), expected);
    }
}
