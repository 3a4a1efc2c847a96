package dev.weir.server.command.client;

import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Reads a command's input from a file or from standard input. */
public final class InputFile {
    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "File to read; without it, or with -, standard input.")
    private @Nullable Path file;

    /** The name of standard input in messages with a position. */
    public static final String STANDARD_INPUT = "<stdin>";

    /** Whether a file was given. */
    public boolean isGiven() {
        return file != null;
    }

    public byte[] read() throws CommandException {
        return read(file);
    }

    /** The name of this input in messages with a position. */
    public String name() {
        return name(file);
    }

    /** The name of {@code file} in messages with a position; null and {@code -} are standard input. */
    public static String name(@Nullable Path file) {
        return file == null || isStandardInput(file) ? STANDARD_INPUT : file.toString();
    }

    /** Whether {@code file} is {@code -}, which every command reads as standard input. */
    public static boolean isStandardInput(Path file) {
        return file.toString().equals("-");
    }

    /** The contents of {@code file}, or of standard input if it is null or {@code -}. */
    public static byte[] read(@Nullable Path file) throws CommandException {
        boolean standardInput = file == null || isStandardInput(file);
        try {
            return standardInput ? System.in.readAllBytes() : Files.readAllBytes(file);
        } catch (IOException e) {
            throw unreadable(standardInput ? "standard input" : String.valueOf(file), e);
        }
    }

    /** A file that does not exist is not found; any other that cannot be read is a wrong argument. */
    public static CommandException unreadable(String file, IOException e) {
        return new CommandException(
                e instanceof NoSuchFileException ? ExitCodes.NOT_FOUND : ExitCodes.USAGE,
                file + " cannot be read: " + FileErrors.why(e));
    }
}
