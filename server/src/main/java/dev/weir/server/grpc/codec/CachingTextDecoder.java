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
 * Text from UTF-8, strictly. Domains and keys are few and come with every request, so their strings are kept in a small cache
 * by their bytes; one event loop owns it, and a flood of names only overwrites its places.
 */
public final class CachingTextDecoder {
    private static final int PLACES = 256;
    private static final int LONGEST_KEPT = 64;

    private final CharsetDecoder utf8 = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    private final byte[] @Nullable [] keptBytes = new byte[PLACES][];
    private final @Nullable String[] kept = new String[PLACES];

    /** Text that is likely to come again. */
    String name(byte[] bytes, int from, int length) throws GrpcCallException {
        if (length > LONGEST_KEPT) {
            return value(bytes, from, length);
        }
        int hash = length;
        for (int i = from; i < from + length; i++) {
            hash = hash * 31 + bytes[i];
        }
        int place = (hash ^ (hash >>> 16)) & (PLACES - 1);
        byte[] known = keptBytes[place];
        String text = kept[place];
        if (known != null && text != null && Arrays.equals(known, 0, known.length, bytes, from, from + length)) {
            return text;
        }
        text = value(bytes, from, length);
        keptBytes[place] = Arrays.copyOfRange(bytes, from, from + length);
        kept[place] = text;
        return text;
    }

    /** Text that is different each time. */
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
