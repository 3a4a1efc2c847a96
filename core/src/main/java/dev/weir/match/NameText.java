package dev.weir.match;

import dev.weir.store.CounterName;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The letters of counter names: printable ASCII. Text is UTF-8 with {@code %XX} for each byte that is no plain letter of a
 * name; an unpaired surrogate is the three bytes that UTF-8 would give its number, which no valid text has, so that different
 * text stays different. Text that comes out longer than {@value #LONGEST_TEXT} letters is {@code ~} and its SHA-256 instead; a
 * name longer than {@value #LONGEST_NAME} is {@code ~~} and the SHA-256 of what it would have been.
 */
final class NameText {
    static final int LONGEST_TEXT = 80;
    static final int LONGEST_NAME = 512;

    private static final byte[] HEX = ascii("0123456789ABCDEF");
    private static final byte[] BASE64 = ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    /** What names ({@code : = ! ~ %}) and keys (braces) are built with, and what is troublesome on a terminal. */
    private static final String ESCAPED = ":=!~%{}\"\\";

    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char c = '!'; c <= '~'; c++) {
            PLAIN[c] = ESCAPED.indexOf(c) < 0;
        }
    }

    private final MessageDigest textDigest = sha256();
    private final MessageDigest nameDigest = sha256();
    private final byte[] block = new byte[256];
    private final byte[] sum = new byte[32];
    private CounterName into = new CounterName();
    /** What was written before went into the digest of the name. */
    private boolean tooLong;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Starts a name. */
    void begin(CounterName name) {
        into = name;
        into.clear();
        tooLong = false;
    }

    /** Ends the name. */
    void end() {
        spill();
        if (tooLong) {
            nameDigest.update(into.bytes(), 0, into.length());
            into.clear();
            plain("~~");
            base64(nameDigest);
        }
    }

    /** Adds what is plain letters, and not more than a few. */
    NameText plain(String letters) {
        for (int i = 0; i < letters.length(); i++) {
            into.append((byte) letters.charAt(i));
        }
        return this;
    }

    NameText number(long number) {
        if (number >= 10) {
            number(number / 10);
        }
        into.append((byte) ('0' + number % 10));
        return this;
    }

    NameText hex(long word) {
        for (int shift = 60; shift >= 0; shift -= 4) {
            into.append(HEX[(int) (word >>> shift) & 0xf]);
        }
        return this;
    }

    /** Adds any text, escaped. */
    NameText escaped(String value) {
        int start = into.length();
        for (int i = 0, length = value.length(); i < length; i++) {
            char c = value.charAt(i);
            if (c < 128) {
                if (PLAIN[c]) {
                    into.append((byte) c);
                } else {
                    escape(c);
                }
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < length
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                utf8(Character.toCodePoint(c, value.charAt(++i)));
            } else {
                utf8(c);
            }
            if (into.length() - start > LONGEST_TEXT) {
                into.length(start);
                digest(value);
                break;
            }
        }
        spill();
        return this;
    }

    private void spill() {
        if (into.length() > LONGEST_NAME) {
            nameDigest.update(into.bytes(), 0, into.length());
            into.length(0);
            tooLong = true;
        }
    }

    private void utf8(int codePoint) {
        if (codePoint < 0x800) {
            escape(0xc0 | codePoint >> 6);
        } else {
            if (codePoint < 0x10000) {
                escape(0xe0 | codePoint >> 12);
            } else {
                escape(0xf0 | codePoint >> 18);
                escape(0x80 | (codePoint >> 12 & 0x3f));
            }
            escape(0x80 | (codePoint >> 6 & 0x3f));
        }
        escape(0x80 | (codePoint & 0x3f));
    }

    private void escape(int unsigned) {
        into.append((byte) '%');
        into.append(HEX[unsigned >> 4]);
        into.append(HEX[unsigned & 0xf]);
    }

    private void digest(String value) {
        int filled = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            block[filled++] = (byte) (c >> 8);
            block[filled++] = (byte) c;
            if (filled == block.length) {
                textDigest.update(block, 0, filled);
                filled = 0;
            }
        }
        textDigest.update(block, 0, filled);
        plain("~");
        base64(textDigest);
    }

    private void base64(MessageDigest digest) {
        try {
            digest.digest(sum, 0, sum.length);
        } catch (DigestException e) {
            throw new IllegalStateException("32 bytes hold a SHA-256", e);
        }
        int bits = 0;
        int have = 0;
        for (byte each : sum) {
            bits = bits << 8 | (each & 0xff);
            for (have += 8; have >= 6; have -= 6) {
                into.append(BASE64[(bits >> (have - 6)) & 0x3f]);
            }
        }
        into.append(BASE64[(bits << (6 - have)) & 0x3f]);
    }
}
