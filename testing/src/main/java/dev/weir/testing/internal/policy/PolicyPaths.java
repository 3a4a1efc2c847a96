package dev.weir.testing.internal.policy;

import dev.weir.rules.internal.load.RulePaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds test files. */
public final class PolicyPaths {
    private PolicyPaths() {}

    /**
     * Returns {@code path} if it is a file; else every {@code *.test.yaml} and {@code *.test.yml} in the folder and those
     * below, by name. Names that begin with a dot are skipped.
     *
     * @throws NoSuchFileException if there is no such file, or no test file in the folder
     */
    public static List<Path> at(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            if (!Files.exists(path)) {
                throw new NoSuchFileException(path.toString());
            }
            return List.of(path);
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> below = Files.walk(path)) {
            below.filter(each -> RulePaths.isTestFile(String.valueOf(each.getFileName())))
                    .filter(each -> !isHidden(path.relativize(each)))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .forEach(found::add);
        }
        if (found.isEmpty()) {
            throw new NoSuchFileException(path.toString(), null, "no *.test.yaml in this folder");
        }
        return found;
    }

    private static boolean isHidden(Path relative) {
        for (Path each : relative) {
            if (each.toString().startsWith(".")) {
                return true;
            }
        }
        return false;
    }
}
