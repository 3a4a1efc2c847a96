package dev.weir.text.yaml;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Reads the one document of a file.
 *
 * <p><b>Bounds.</b> At most {@value #MAX_BYTES} bytes, {@value YamlTreeBuilder#MAX_NODES} values and {@value
 * YamlTreeBuilder#MAX_DEPTH} levels. Aliases may repeat {@value YamlTreeBuilder#MAX_ALIASED} values in all. A repeated
 * value is shared, not copied.
 */
public final class YamlReader {
    /** The maximum size of a file. */
    public static final int MAX_BYTES = 16 << 20;

    private YamlReader() {}

    /**
     * Returns the root of the document; null if it is empty or cannot be read, and {@code problems} then has the error.
     */
    public static @Nullable YamlNode read(byte[] bytes, DiagnosticCollector problems) {
        if (bytes.length > MAX_BYTES) {
            problems.error(Position.FILE, "more than " + (MAX_BYTES >> 20) + " MiB", "split it into several files");
            return null;
        }
        String text = Utf8.decode(bytes, problems);
        return text == null ? null : read(text, problems);
    }

    private static @Nullable YamlNode read(String text, DiagnosticCollector problems) {
        // Give the parser one buffer for the whole text. It copies its unread rest whenever a buffer fills, so with
        // small buffers a long word would take quadratic time.
        LoadSettings settings = LoadSettings.builder()
                .setBufferSize(text.length() + 1)
                .setLabel(problems.file())
                .setCodePointLimit(MAX_BYTES)
                .build();
        try {
            return new YamlTreeBuilder(new ParserImpl(settings, new StreamReader(settings, text)), problems).document();
        } catch (YamlTreeBuilder.Refused e) {
            problems.error(e.at(), e.reason(), e.hint());
        } catch (MarkedYamlEngineException e) {
            YamlSyntaxErrors.report(e, problems);
        } catch (ReaderException e) {
            int index = text.offsetByCodePoints(0, Math.min(e.getPosition(), text.codePointCount(0, text.length())));
            String unfit = String.format("character U+%04X is not allowed in YAML", e.getCodePoint());
            problems.error(Utf8.positionAt(text, index), unfit);
        } catch (NumberFormatException e) {
            // The parser fails so if the text ends right after the x or the u of an escape.
            problems.error(Utf8.positionAt(text, text.length() - 2), "an escape without its digits");
        } catch (YamlEngineException e) {
            problems.error(Position.FILE, "not YAML: " + e.getMessage());
        }
        return null;
    }

    static Position position(Mark mark) {
        return new Position(mark.getLine() + 1, mark.getColumn() + 1);
    }
}
