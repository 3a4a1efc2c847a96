package dev.weir.server.command;

import dev.weir.server.command.client.CommandException;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Reads a command's input from a file or from standard input. */
final class InputFile {
    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "File to read; without it, or with -, standard input.")
    private @Nullable Path file;

    byte[] read() throws CommandException {
        return read(file);
    }

    /** The contents of {@code file}, or of standard input if it is null or {@code -}. */
    static byte[] read(@Nullable Path file) throws CommandException {
        boolean standardInput = file == null || file.toString().equals("-");
        try {
            return standardInput ? System.in.readAllBytes() : Files.readAllBytes(file);
        } catch (IOException e) {
            throw new CommandException(
                    (standardInput ? "standard input" : file) + " cannot be read: " + FileErrors.why(e));
        }
    }
}
