package dev.weir.internal.counter;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The letters of counter names: printable ASCII. Text is UTF-8 with {@code %XX} for each byte that is no plain letter of a
 * name; an unpaired surrogate is the three bytes that UTF-8 would give its number, which no valid text has, so that different
 * text stays different. Text that comes out longer than {@value #LONGEST_TEXT} letters is {@code ~} and its SHA-256 instead; a
 * name longer than {@value #LONGEST_NAME} is {@code ~~} and the SHA-256 of what it would have been.
 */
public final class CounterNameEncoder {
    static final int LONGEST_TEXT = 80;
    static final int LONGEST_NAME = 512;

    private static final byte[] HEX = ascii("0123456789ABCDEF");
    /** What names ({@code : = ! ~ %}) and keys (braces) are built with, and what is troublesome on a terminal. */
    private static final String ESCAPED = ":=!~%{}\"\\";

    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char c = '!'; c <= '~'; c++) {
            PLAIN[c] = ESCAPED.indexOf(c) < 0;
        }
    }

    /** Made when the first long text comes: most never do. */
    private @Nullable LongTextDigest longText;

    private CounterName into = new CounterName();
    /** What was written before went into the digest of the name. */
    private boolean tooLong;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Starts a name. */
    public void begin(CounterName name) {
        name.clear();
        goOn(name);
    }

    /** Goes on with a name that had ended. */
    public void goOn(CounterName name) {
        into = name;
        tooLong = false;
    }

    /** Ends the name. */
    public void end() {
        spill();
        if (tooLong) {
            LongTextDigest digest = longText();
            digest.ofName(into);
            into.clear();
            plain("~~");
            digest.nameTo(into);
        }
    }

    /** Adds what is plain letters, and not more than a few. */
    public CounterNameEncoder plain(String letters) {
        for (int i = 0; i < letters.length(); i++) {
            into.append((byte) letters.charAt(i));
        }
        return this;
    }

    public CounterNameEncoder number(long number) {
        if (number >= 10) {
            number(number / 10);
        }
        into.append((byte) ('0' + number % 10));
        return this;
    }

    public CounterNameEncoder hex(long word) {
        for (int shift = 60; shift >= 0; shift -= 4) {
            into.append(HEX[(int) (word >>> shift) & 0xf]);
        }
        return this;
    }

    /** Adds any text, escaped. */
    public CounterNameEncoder escaped(String value) {
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
                plain("~");
                longText().textTo(value, into);
                break;
            }
        }
        spill();
        return this;
    }

    private void spill() {
        if (into.length() > LONGEST_NAME) {
            longText().ofName(into);
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

    private LongTextDigest longText() {
        if (longText == null) {
            longText = new LongTextDigest();
        }
        return longText;
    }
}
