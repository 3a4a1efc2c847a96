package dev.weir.text.message;

/** Makes text of a file fit for one line of a terminal or a log. */
public final class PrintableText {
    private static final int LONGEST_QUOTE = 80;

    private PrintableText() {}

    /** Quotes {@code value}, cut if it is long. */
    public static String quote(String value) {
        if (value.length() <= LONGEST_QUOTE) {
            return "'" + value + "'";
        }
        int cut = Character.isHighSurrogate(value.charAt(LONGEST_QUOTE - 1)) ? LONGEST_QUOTE - 1 : LONGEST_QUOTE;
        return "'" + value.substring(0, cut) + "…'";
    }

    /** Escapes control and direction characters, so that a file cannot forge or hide a line. */
    public static String printable(String text) {
        if (text.chars().noneMatch(PrintableText::isUnprintable)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (isUnprintable(c)) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append((char) c);
            }
        });
        return out.toString();
    }

    private static boolean isUnprintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
