package dev.weir.text.message;

/** Makes what stood in a file fit to be shown on one line of a terminal or a log. */
public final class PrintableText {
    private static final int LONGEST_QUOTE = 80;

    private PrintableText() {}

    /** {@code value} in quotes, cut where it is long. */
    public static String quote(String value) {
        if (value.length() <= LONGEST_QUOTE) {
            return "'" + value + "'";
        }
        int cut = Character.isHighSurrogate(value.charAt(LONGEST_QUOTE - 1)) ? LONGEST_QUOTE - 1 : LONGEST_QUOTE;
        return "'" + value.substring(0, cut) + "…'";
    }

    /** Control and direction characters as escapes, so that a file can not forge a line or hide one. */
    public static String printable(String text) {
        if (text.chars().noneMatch(PrintableText::isUnfit)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            if (isUnfit(c)) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append((char) c);
            }
        });
        return out.toString();
    }

    private static boolean isUnfit(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
