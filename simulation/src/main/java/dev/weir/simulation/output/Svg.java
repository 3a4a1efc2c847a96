package dev.weir.simulation.output;

import java.util.Locale;

/** Writes SVG that follows the reader's light or dark scheme. */
final class Svg {
    private static final String STYLE = """
            <style>
            svg { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; }
            text { font-size: 12px; fill: #656d76; }
            .title { font-size: 15px; font-weight: 600; fill: #1f2328; }
            .head { font-size: 13px; font-weight: 600; fill: #1f2328; }
            .end { text-anchor: end; } .mid { text-anchor: middle; }
            .line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
            .back { fill: #ffffff; } .grid { fill: none; stroke: #e4e8ec; } .offered { fill: #656d76; fill-opacity: .14; }
            .ideal { stroke: #656d76; stroke-dasharray: 2 3; } .limit { fill: none; stroke: #cf222e; stroke-dasharray: 6 4; }
            .c0 { stroke: #0969da; } .c1 { stroke: #bc4c00; } .c2 { stroke: #8250df; } .c3 { stroke: #1a7f37; }
            .k0 { fill: #0969da; } .k1 { fill: #bc4c00; } .k2 { fill: #8250df; } .k3 { fill: #1a7f37; }
            @media (prefers-color-scheme: dark) {
            text { fill: #8d96a0; } .title, .head { fill: #e6edf3; } .back { fill: #0d1117; } .grid { stroke: #262c34; }
            .offered { fill: #8d96a0; } .ideal { stroke: #8d96a0; } .limit { stroke: #f85149; }
            .c0 { stroke: #4493f8; } .c1 { stroke: #f0883e; } .c2 { stroke: #a371f7; } .c3 { stroke: #3fb950; }
            .k0 { fill: #4493f8; } .k1 { fill: #f0883e; } .k2 { fill: #a371f7; } .k3 { fill: #3fb950; } }
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
