package dev.weir.server.grpc.codec;

import dev.weir.server.grpc.protocol.GrpcCallException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes UTF-8 strictly. Domains and keys are few and occur in every request, so their strings are cached by their
 * bytes. One event loop owns the cache, and a flood of names only overwrites its entries.
 */
public final class CachingTextDecoder {
    private static final int ENTRIES = 256;
    private static final int MAX_CACHED = 64;

    private final CharsetDecoder utf8 = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    private final byte[] @Nullable [] cachedBytes = new byte[ENTRIES][];
    private final @Nullable String[] cached = new String[ENTRIES];

    /** Decodes text that is likely to occur again. */
    String name(byte[] bytes, int from, int length) throws GrpcCallException {
        if (length > MAX_CACHED) {
            return value(bytes, from, length);
        }
        int hash = length;
        for (int i = from; i < from + length; i++) {
            hash = hash * 31 + bytes[i];
        }
        int entry = (hash ^ (hash >>> 16)) & (ENTRIES - 1);
        byte[] known = cachedBytes[entry];
        String text = cached[entry];
        if (known != null && text != null && Arrays.equals(known, 0, known.length, bytes, from, from + length)) {
            return text;
        }
        text = value(bytes, from, length);
        cachedBytes[entry] = Arrays.copyOfRange(bytes, from, from + length);
        cached[entry] = text;
        return text;
    }

    /** Decodes text that differs each time. */
    String value(byte[] bytes, int from, int length) throws GrpcCallException {
        if (length == 0) {
            return "";
        }
        for (int i = from; i < from + length; i++) {
            if (bytes[i] < 0) {
                return decoded(bytes, from, length);
            }
        }
        return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    private String decoded(byte[] bytes, int from, int length) throws GrpcCallException {
        try {
            CharBuffer text = utf8.decode(ByteBuffer.wrap(bytes, from, length));
            return text.toString();
        } catch (CharacterCodingException e) {
            throw ProtobufReader.malformed("text is not UTF-8");
        }
    }
}
