package dev.weir.server.replay.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.Request;
import java.io.IOException;
import java.nio.CharBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON lines of the decision sink: requests, starts and losses; its checks are no traffic. */
final class RecordedLines implements LineFormat {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int MOST_SAMPLE = 1_000_000_000;

    private final Map<String, String> names = new HashMap<>();

    @Override
    public LineKind read(byte[] bytes, int from, int end, TrafficLine into) throws LineException {
        into.clear();
        try (JsonParser json = FACTORY.createParser(bytes, from, end - from)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new LineException(1, "not a line of the decision sink (expected: a JSON object)");
            }
            return read(json, into);
        } catch (JsonProcessingException e) {
            int column = e.getLocation() == null ? 1 : e.getLocation().getColumnNr();
            throw new LineException(Math.max(1, column), "not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new LineException(1, "not JSON: " + e.getMessage());
        }
    }

    private LineKind read(JsonParser json, TrafficLine into) throws IOException, LineException {
        LineKind kind = LineKind.OTHER;
        boolean timed = false;
        String domain = null;
        Request request = into.request();
        String name;
        while ((name = json.nextFieldName()) != null) {
            JsonToken value = json.nextToken();
            switch (name) {
                case "time" -> {
                    into.micros = time(json);
                    timed = true;
                }
                case "store_time" -> into.storeMicros = time(json);
                case "node" -> into.node = same(text(json));
                case "domain" -> domain = same(text(json));
                case "rule" -> {
                    return LineKind.OTHER; // a check
                }
                case "hash" -> into.hash = same(text(json));
                case "region" -> into.region = same(text(json));
                case "recording" -> kind = LineKind.STARTED;
                case "lost_requests", "lost_lines" -> {
                    kind = LineKind.LOST;
                    into.lost += whole(json);
                }
                case "request" -> {
                    kind = LineKind.REQUEST;
                    descriptors(json, request);
                }
                case "attributes" -> {
                    if (value == JsonToken.VALUE_TRUE) {
                        request.asAttributes();
                    }
                }
                case "cost" -> request.hits(whole(json));
                case "costs" -> costs(json, request);
                case "descriptor_hits" -> ownHits(json, request);
                case "hashed" -> hashed(json, into);
                case "in_full" -> {
                    if (value == JsonToken.VALUE_TRUE) {
                        request.chargeInFull();
                    }
                }
                case "own_limit" -> into.ownLimit = value == JsonToken.VALUE_TRUE;
                case "some_rules" -> into.someRules = value == JsonToken.VALUE_TRUE;
                case "ban" -> into.banned = true;
                case "passed" -> into.passed = value == JsonToken.VALUE_TRUE;
                case "degraded" -> into.degraded = value == JsonToken.VALUE_TRUE;
                case "sample" -> into.sample = (int) between(json, 1, MOST_SAMPLE);
                case "sample_by" -> into.sampledBy = same(text(json));
                default -> json.skipChildren(); // written by a later version
            }
        }
        if (kind == LineKind.REQUEST) {
            if (!timed || domain == null) {
                throw new LineException(1, "a request without " + (timed ? "domain" : "time"));
            }
            request.domain(domain);
        }
        return kind;
    }

    /** The one instance of a text that many lines share. */
    private String same(String text) {
        String known = names.putIfAbsent(text, text);
        if (names.size() > 10_000) {
            names.clear(); // a hostile file must not fill the memory
        }
        return known == null ? text : known;
    }

    private static void descriptors(JsonParser json, Request into) throws IOException, LineException {
        expect(json, JsonToken.START_ARRAY, "a list of descriptors");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            expect(json, JsonToken.START_OBJECT, "a descriptor");
            into.descriptor();
            String key;
            while ((key = json.nextFieldName()) != null) {
                json.nextToken();
                into.with(key, text(json));
            }
        }
    }

    private static void costs(JsonParser json, Request into) throws IOException, LineException {
        expect(json, JsonToken.START_OBJECT, "costs by unit");
        String unit;
        while ((unit = json.nextFieldName()) != null) {
            json.nextToken();
            into.hits(unit, whole(json));
        }
    }

    private static void ownHits(JsonParser json, Request into) throws IOException, LineException {
        expect(json, JsonToken.START_ARRAY, "a list of numbers");
        for (int i = 0; json.nextToken() != JsonToken.END_ARRAY; i++) {
            if (json.currentToken() != JsonToken.VALUE_NULL && i < into.descriptors()) {
                into.descriptorHits(i, whole(json));
            }
        }
    }

    private static void hashed(JsonParser json, TrafficLine into) throws IOException, LineException {
        expect(json, JsonToken.START_ARRAY, "a list of attributes");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            into.hashed().add(text(json));
        }
    }

    private static long time(JsonParser json) throws IOException, LineException {
        expect(json, JsonToken.VALUE_STRING, "a time");
        long micros =
                Moments.iso(CharBuffer.wrap(json.getTextCharacters(), json.getTextOffset(), json.getTextLength()));
        if (micros == Moments.NONE) {
            throw wrong(json, "a time like 2026-11-16T05:30:00.123456Z");
        }
        return micros;
    }

    private static String text(JsonParser json) throws IOException, LineException {
        expect(json, JsonToken.VALUE_STRING, "text");
        return json.getText();
    }

    private static long whole(JsonParser json) throws IOException, LineException {
        return between(json, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static long between(JsonParser json, long least, long most) throws IOException, LineException {
        expect(json, JsonToken.VALUE_NUMBER_INT, "a whole number");
        long value = json.getLongValue();
        if (value < least || value > most) {
            throw wrong(json, "a number from " + least + " to " + most);
        }
        return value;
    }

    private static void expect(JsonParser json, JsonToken token, String expected) throws IOException, LineException {
        if (json.currentToken() != token) {
            throw wrong(json, expected);
        }
    }

    private static LineException wrong(JsonParser json, String expected) throws IOException {
        @Nullable String field = json.currentName();
        return new LineException(
                json.currentTokenLocation().getColumnNr(),
                (field == null ? "" : field + ": ") + json.getText() + " (expected: " + expected + ")");
    }
}
