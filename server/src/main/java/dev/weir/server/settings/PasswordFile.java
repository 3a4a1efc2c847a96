package dev.weir.server.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * A password in a file, as Kubernetes and Docker provide secrets. It is read whenever it is needed, so that a new
 * password is used from the next connection on. While the file cannot be read, the last password is used.
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
            // The file is probably being replaced; try the old password.
        }
        return last;
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    /** The name of the file, never the password. */
    @Override
    public String toString() {
        return file.toString();
    }
}
