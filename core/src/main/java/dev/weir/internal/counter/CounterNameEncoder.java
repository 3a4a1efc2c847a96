package dev.weir.internal.counter;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes counter names in printable ASCII. Text is UTF-8 with {@code %XX} for each byte that is not a plain character
 * of a name. An unpaired surrogate becomes the three bytes that UTF-8 would give its number; no valid text has them, so
 * different text stays different. Text whose encoding exceeds {@value #LONGEST_TEXT} characters becomes {@code ~} and
 * its SHA-256. A name longer than {@value #LONGEST_NAME} becomes {@code ~~} and the SHA-256 of the full name.
 */
public final class CounterNameEncoder {
    static final int LONGEST_TEXT = 80;
    static final int LONGEST_NAME = 512;

    private static final byte[] HEX = ascii("0123456789ABCDEF");
    /** Characters that structure names ({@code : = ! ~ %}) and keys (braces), or that need quoting in a terminal. */
    private static final String ESCAPED = ":=!~%{}\"\\";

    private static final boolean[] PLAIN = new boolean[128];

    static {
        for (char c = '!'; c <= '~'; c++) {
            PLAIN[c] = ESCAPED.indexOf(c) < 0;
        }
    }

    /** Created for the first long text; most encoders never meet one. */
    private @Nullable LongTextDigest longText;

    private CounterName into = new CounterName();
    /** Whether the text so far was moved into the digest of the name. */
    private boolean tooLong;

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Starts a name. */
    public void begin(CounterName name) {
        name.clear();
        resume(name);
    }

    /** Continues a name that was ended. */
    public void resume(CounterName name) {
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

    /** Adds a few plain characters, unescaped. */
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
        int length = value.length();
        for (int i = length <= LONGEST_TEXT ? into.appendPlain(value, PLAIN) : 0; i < length; i++) {
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
