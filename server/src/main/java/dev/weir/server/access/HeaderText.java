package dev.weir.server.access;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Cleans the text of a header for records: one line of limited length. */
public final class HeaderText {
    private static final int MAX_LENGTH = 200 - " (claimed)".length();
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

    private static final Pattern EXTENDED = Pattern.compile("(?i:utf-8)'[A-Za-z0-9-]*'(.*)");

    private HeaderText() {}

    /** The text of {@code header}; empty if there is none. */
    public static String of(@Nullable String header) {
        if (header == null) {
            return "";
        }
        String text = CONTROL.matcher(decoded(header).strip()).replaceAll("?");
        if (text.length() <= MAX_LENGTH) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH);
    }

    /**
     * Decodes a header. HTTP passes each byte as a character. Most clients send UTF-8; clients that can send only ASCII
     * encode it as in RFC 8187 ({@code UTF-8''Stra%C3%9Fe}). Anything else is taken as it is.
     */
    private static String decoded(String header) {
        Matcher extended = EXTENDED.matcher(header);
        try {
            if (extended.matches()) {
                return URLDecoder.decode(extended.group(1).replace("+", "%2B"), StandardCharsets.UTF_8);
            }
            ByteBuffer bytes = ByteBuffer.wrap(header.getBytes(StandardCharsets.ISO_8859_1));
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException | IllegalArgumentException e) {
            return header;
        }
    }
}
