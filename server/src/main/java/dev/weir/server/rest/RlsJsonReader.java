package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.Request;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.rls.RequestCaps;
import dev.weir.server.rls.RlsCode;
import java.math.BigInteger;

/** Reads a {@code RateLimitRequest} as protobuf's JSON. */
final class RlsJsonReader {
    private static final BigInteger MAX_32 = BigInteger.valueOf(0xFFFF_FFFFL);

    private final JsonFactory factory;
    private final RequestCaps caps;
    private final boolean calendarMonths;

    RlsJsonReader(JsonFactory factory, RequestCaps caps, boolean calendarMonths) {
        this.factory = factory;
        this.calendarMonths = calendarMonths;
        this.caps = caps;
    }

    /** Fills {@code into}, and returns the {@code hitsAddend} that the caller gave; 0 if it gave none. */
    long read(byte[] body, Request into) {
        into.clear("");
        long hitsAddend = 0;
        boolean hitsSeen = false;
        try (JsonInput in = JsonInput.of(factory, body, caps)) {
            DescriptorJson descriptors = new DescriptorJson(in, into, calendarMonths);
            in.object("body");
            while (in.member()) {
                String name = in.name();
                JsonToken token = in.next();
                switch (name) {
                    case "domain" -> {
                        if (token == JsonToken.VALUE_STRING) {
                            into.domain(in.currentText("domain", caps.name(), "name"));
                        } else if (token != JsonToken.VALUE_NULL) {
                            throw in.mistake("domain: " + in.value(), "a string");
                        }
                    }
                    case "descriptors" -> descriptors.read(token);
                    case "hitsAddend", "hits_addend" -> {
                        if (hitsSeen) {
                            throw in.mistake(name + ": given twice", "once");
                        }
                        hitsSeen = true;
                        hitsAddend = token == JsonToken.VALUE_NULL ? 0 : in.unsigned(name, MAX_32);
                    }
                    default ->
                        throw in.mistake(
                                "unknown member " + CallerText.shown(name), "domain, descriptors or hitsAddend");
                }
            }
            in.end();
            if (hitsAddend > 0) {
                into.hits(hitsAddend);
            }
            descriptors.end();
        }
        if (into.domain().isEmpty()) {
            throw HttpProblemException.badRequest(RlsCode.NO_DOMAIN);
        }
        if (into.descriptors() == 0) {
            throw HttpProblemException.badRequest(RlsCode.NO_DESCRIPTORS);
        }
        return hitsAddend;
    }
}
