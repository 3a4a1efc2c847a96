package dev.weir.server.access;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What of a header may go into a record: one line of text, and not too much of it. */
public final class HeaderText {
    private static final int LONGEST = 200 - " (claimed)".length();
    private static final Pattern NO_TEXT = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

    private static final Pattern EXTENDED = Pattern.compile("(?i:utf-8)'[A-Za-z0-9-]*'(.*)");

    private HeaderText() {}

    /** The text of {@code header}; empty where there is none. */
    public static String of(@Nullable String header) {
        if (header == null) {
            return "";
        }
        String text = NO_TEXT.matcher(decoded(header).strip()).replaceAll("?");
        if (text.length() <= LONGEST) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST);
    }

    /**
     * HTTP gives each byte as a character; nearly everybody sends UTF-8, and who can send only ASCII writes it as RFC 8187 has it
     * ({@code UTF-8''Stra%C3%9Fe}). What is neither is taken as it is.
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
