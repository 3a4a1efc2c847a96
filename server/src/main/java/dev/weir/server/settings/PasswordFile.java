package dev.weir.server.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A password that stands in a file, as Kubernetes and Docker hand out secrets: read anew whenever it is needed, so that a changed
 * one counts from the next connection on. While the file cannot be read, the last one holds.
 */
final class PasswordFile implements Supplier<String> {
    private final Path file;
    private volatile String last;

    PasswordFile(Path file) throws IOException {
        this.file = file;
        this.last = read(file);
    }

    @Override
    public String get() {
        try {
            last = read(file);
        } catch (IOException e) {
            // It is being replaced, most likely; the old one is worth a try.
        }
        return last;
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    /** Never the password. */
    @Override
    public String toString() {
        return file.toString();
    }
}
