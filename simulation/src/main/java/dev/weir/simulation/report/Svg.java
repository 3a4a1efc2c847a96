package dev.weir.simulation.report;

import java.util.Locale;

/** Writes SVG that follows the reader's light or dark scheme. */
final class Svg {
    private static final String STYLE =
            """
            <style>
            svg { --back: #ffffff; --text: #1f2328; --mute: #656d76; --grid: #e4e8ec; --limit: #cf222e;
              --c0: #0969da; --c1: #bc4c00; --c2: #8250df; --c3: #1a7f37; font-family: system-ui, -apple-system, "Segoe UI", sans-serif; }
            @media (prefers-color-scheme: dark) { svg { --back: #0d1117; --text: #e6edf3; --mute: #8d96a0; --grid: #262c34;
              --limit: #f85149; --c0: #4493f8; --c1: #f0883e; --c2: #a371f7; --c3: #3fb950; } }
            .back { fill: var(--back); }
            text { fill: var(--mute); font-size: 12px; }
            .title { fill: var(--text); font-size: 15px; font-weight: 600; }
            .head { fill: var(--text); font-size: 13px; font-weight: 600; }
            .end { text-anchor: end; } .mid { text-anchor: middle; }
            .grid { stroke: var(--grid); fill: none; }
            .line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
            .ideal { stroke: var(--mute); stroke-dasharray: 2 3; }
            .limit { stroke: var(--limit); stroke-dasharray: 6 4; fill: none; }
            .offered { fill: var(--mute); fill-opacity: .14; }
            .c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); } .c3 { stroke: var(--c3); }
            .k0 { fill: var(--c0); } .k1 { fill: var(--c1); } .k2 { fill: var(--c2); } .k3 { fill: var(--c3); }
            </style>
            """;

    private final StringBuilder out = new StringBuilder();

    Svg(int width, int height, String title) {
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(height)
                .append("\" role=\"img\">\n<title>")
                .append(escaped(title))
                .append("</title>\n")
                .append(STYLE)
                .append("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n");
    }

    void text(double x, double y, String classes, String text) {
        out.append("<text x=\"")
                .append(number(x))
                .append("\" y=\"")
                .append(number(y))
                .append("\" class=\"")
                .append(classes)
                .append("\">")
                .append(escaped(text))
                .append("</text>\n");
    }

    void path(String classes, CharSequence data) {
        path(classes, "", data);
    }

    void path(String classes, double opacity, CharSequence data) {
        path(classes, "\" fill-opacity=\"" + number(opacity), data);
    }

    private void path(String classes, String more, CharSequence data) {
        out.append("<path class=\"")
                .append(classes)
                .append(more)
                .append("\" d=\"")
                .append(data)
                .append("\"/>\n");
    }

    @Override
    public String toString() {
        return out + "</svg>\n";
    }

    static String number(double value) {
        String text = String.format(Locale.ROOT, "%.2f", value);
        return text.replaceAll("\\.?0+$", "");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
