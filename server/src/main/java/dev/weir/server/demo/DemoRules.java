package dev.weir.server.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The rules of the demo: {@code examples/demo/rules.yaml}, which the build puts beside this class. */
public final class DemoRules {
    /** The file, as diagnostics and explain name it. */
    public static final String FILE = "rules.yaml";

    private DemoRules() {}

    /** Returns the text of the file. */
    public static String text() {
        try (InputStream in = DemoRules.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
