package dev.weir.server.command.client;

/** Reports that a command failed. The message tells a person why, and the exit code tells a script. */
public final class CommandException extends Exception {
    private final int exitCode;

    /** Creates a failure because of wrong arguments. */
    public CommandException(String message) {
        this(ExitCodes.USAGE, message);
    }

    /** Creates a failure with one of {@link ExitCodes}. */
    public CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The same failure with another message. */
    public CommandException saying(String message) {
        return new CommandException(exitCode, message);
    }

    public int exitCode() {
        return exitCode;
    }
}
