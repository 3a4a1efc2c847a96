package dev.weir.testkit;

import static org.assertj.core.api.Assertions.fail;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Programs that are not part of the build; a test that lacks one is skipped with the reason, or fails under {@code weir.all}. */
public final class ExternalPrograms {
    private ExternalPrograms() {}

    /** Where {@code -DNAME=…} says it is, else on the path. */
    public static Path program(String name) {
        String given = System.getProperty(name);
        if (given != null) {
            return Path.of(given);
        }
        for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
            Path program = Path.of(folder, name);
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        return missing(name + " is neither on the path nor given with -D" + name + "=…");
    }

    public static Path missing(String reason) {
        if (Boolean.getBoolean("weir.all") || "".equals(System.getProperty("weir.all"))) {
            return fail(reason);
        }
        Assumptions.abort(reason);
        throw new AssertionError("not reached");
    }
}
