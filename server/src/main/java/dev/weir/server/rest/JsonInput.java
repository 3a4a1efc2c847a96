package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.rls.RequestCaps;
import dev.weir.text.message.Suggestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON body strictly, token by token. Every mistake is a {@link HttpProblemException} with the value, what was
 * expected, and the position. Duplicate members, text after the end, and deep nesting are mistakes.
 */
final class JsonInput implements AutoCloseable {
    private static final int MAX_DEPTH = 16;
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    /** Remarks of the parser about its own settings, which are not the caller's. */
    private static final Pattern PARSER_REMARKS = Pattern.compile(
            ", from `[^`]*`|: enable `[^`]*` to allow| \\(start marker at .*\\)| \\(not recognized as one since"
                    + " [^)]*\\)");

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private final JsonParser parser;
    private final RequestCaps caps;

    private JsonInput(JsonParser parser, RequestCaps caps) {
        this.parser = parser;
        this.caps = caps;
    }

    static JsonFactory factory(RequestCaps caps) {
        return new JsonFactoryBuilder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxDocumentLength(caps.bytes())
                        .maxNumberLength(1_000)
                        // Texts are measured here, so that the error can name their member.
                        .maxStringLength(caps.bytes())
                        .maxNameLength(caps.bytes())
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .build();
    }

    /** Decodes the body before parsing: the parser would guess the encoding, and accept invalid UTF-8. */
    static JsonInput of(JsonFactory factory, byte[] body, RequestCaps caps) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
            int start = text.hasRemaining() && text.get(0) == BYTE_ORDER_MARK ? 1 : 0;
            return new JsonInput(factory.createParser(text.array(), start, text.remaining() - start), caps);
        } catch (CharacterCodingException e) {
            throw HttpProblemException.badRequest("body: not UTF-8 (expected: JSON in UTF-8)");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RequestCaps caps() {
        return caps;
    }

    /** The next token. */
    JsonToken next() {
        try {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw mistake("the end of the body", "a JSON object");
            }
            return token;
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Opens the object that the body, or a member, must be. */
    void object(String what) {
        if (next() != JsonToken.START_OBJECT) {
            throw mistake(what + ": " + value(), "an object");
        }
    }

    /** Moves to the next member of the open object; false at its end. */
    boolean member() {
        return next() != JsonToken.END_OBJECT;
    }

    /** The name of the member last moved to. */
    String name() {
        try {
            return checked("name", parser.currentName(), caps.name(), "name");
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Skips the value of the member last moved to, whatever it is. */
    void skip() {
        next();
        try {
            parser.skipChildren();
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Requires that nothing follows. */
    void end() {
        try {
            if (parser.nextToken() != null) {
                throw mistake("text after the end of the JSON object", "nothing");
            }
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** The problem of a member last moved to that is none of {@code known}; {@code expected} lists them for people. */
    HttpProblemException unknownMember(String expected, List<String> known) {
        String meant = Suggestion.nearest(name(), known);
        return mistake(
                "unknown member " + CallerText.shown(name()),
                expected + (meant == null ? "" : "; " + Suggestion.meant(meant)));
    }

    /** The value of {@code what}, which must be text of at most {@code cap} bytes. */
    String text(String what, int cap, String capName) {
        if (next() != JsonToken.VALUE_STRING) {
            throw mistake(what + ": " + value(), "a string");
        }
        return currentText(what, cap, capName);
    }

    String currentText(String what, int cap, String capName) {
        try {
            return checked(what, parser.getText(), cap, capName);
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Reads a whole number from 0; one beyond 64 bits becomes the largest long. */
    long count(String what) {
        String expected = "a whole number >= 0";
        if (next() != JsonToken.VALUE_NUMBER_INT) {
            throw mistake(what + ": " + value(), expected);
        }
        try {
            String digits = parser.getText();
            if (digits.charAt(0) == '-') {
                throw mistake(what + ": " + value(), expected);
            }
            return digits.length() < 19
                    ? Long.parseLong(digits)
                    : new BigInteger(digits).min(MAX_LONG).longValue();
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Reads a number from 0 to 1. */
    double share(String what) {
        try {
            double number = next().isNumeric() ? parser.getDoubleValue() : Double.NaN;
            if (number >= 0 && number <= 1) {
                return number;
            }
            throw mistake(what + ": " + value(), "a number from 0 to 1");
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** The current token as a number of protobuf's JSON, see {@link ProtoNumber}. */
    long unsigned(String what, BigInteger max) {
        try {
            JsonToken token = parser.currentToken();
            boolean isNumber = token.isNumeric() || token == JsonToken.VALUE_STRING;
            long number = isNumber ? ProtoNumber.unsigned(parser.getText(), max) : ProtoNumber.NONE;
            if (number == ProtoNumber.NONE) {
                throw mistake(what + ": " + value(), "a whole number from 0 to " + max);
            }
            return number;
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Creates the problem for a mistake at the current token: {@code found (expected: …) at line 1, column 2}. */
    HttpProblemException mistake(String found, String expected) {
        return HttpProblemException.badRequest(
                found + " (expected: " + expected + ")" + place(parser.currentTokenLocation()));
    }

    /** The current value, for an error. */
    String value() {
        try {
            JsonToken token = parser.currentToken();
            if (token == null) {
                return "nothing";
            }
            return switch (token) {
                case START_OBJECT -> "an object";
                case START_ARRAY -> "a list";
                case VALUE_STRING -> CallerText.shown(parser.getText());
                default -> {
                    String text = parser.getText();
                    yield text.length() <= 40 ? text : text.substring(0, 40) + "…";
                }
            };
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    @Override
    public void close() {
        try {
            parser.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String checked(String what, String text, int cap, String capName) {
        int bytes = CallerText.utf8Length(text);
        if (bytes < 0) {
            throw mistake(what + ": " + CallerText.shown(text), "text that is well-formed Unicode");
        }
        if (bytes > cap) {
            throw mistake(what + ": " + bytes + " bytes", "at most " + cap + " for a " + capName);
        }
        return text;
    }

    private static HttpProblemException malformed(IOException e) {
        if (e instanceof JsonProcessingException json) {
            return HttpProblemException.badRequest(
                    "body: " + plain(json.getOriginalMessage()) + " (expected: JSON)" + place(json.getLocation()));
        }
        throw new UncheckedIOException(e);
    }

    /** The first line of the parser's message, without remarks about its settings. */
    private static String plain(@Nullable String message) {
        String line =
                message == null ? "malformed" : message.lines().findFirst().orElse("");
        return PARSER_REMARKS.matcher(line).replaceAll("");
    }

    private static String place(@Nullable JsonLocation location) {
        return location == null ? "" : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }
}
