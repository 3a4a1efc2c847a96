package dev.weir.redis.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The Redis that the tests run on: the executables in the jars of embedded-redis, unpacked once a JVM. */
final class RedisBinary {
    static final String VERSION = "7.0.15";

    private RedisBinary() {}

    static Path path() {
        return Unpacked.PATH;
    }

    /** The oldest that is supported, 6.2; it needs OpenSSL 3 on the machine. */
    static Path oldest() {
        return Oldest.PATH;
    }

    /** Returns whether this machine can run the binary: the jar has it for Linux on amd64. */
    static boolean runsOldest() {
        try {
            return new ProcessBuilder(oldest().toString(), "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException | IllegalStateException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static final class Oldest {
        static final Path PATH = Unpacked.unpack("6.2.6-v5");
    }

    private static final class Unpacked {
        static final Path PATH = unpack(VERSION);

        static Path unpack(String version) {
            String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
            String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
            String name = "/redis-server-" + version + "-" + os + "-" + arch;
            try (InputStream in = RedisBinary.class.getResourceAsStream(name)) {
                if (in == null) {
                    throw new IllegalStateException("no " + name + " on the class path (is embedded-redis there?)");
                }
                Path folder = Files.createTempDirectory("weir-redis-binary");
                Path file = folder.resolve("redis-server");
                // Deleted in reverse: the file first.
                folder.toFile().deleteOnExit();
                file.toFile().deleteOnExit();
                Files.copy(in, file);
                if (!file.toFile().setExecutable(true)) {
                    throw new IllegalStateException("cannot be made executable: " + file);
                }
                return file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
