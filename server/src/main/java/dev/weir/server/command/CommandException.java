package dev.weir.server.command;

/** Reports that a command failed. The message tells a person why, and the exit code tells a script. */
final class CommandException extends Exception {
    private final int exitCode;

    /** Creates a failure because of wrong arguments. */
    CommandException(String message) {
        this(ExitCodes.USAGE, message);
    }

    /** Creates a failure with one of {@link ExitCodes}. */
    CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The same failure with another message. */
    CommandException saying(String message) {
        return new CommandException(exitCode, message);
    }

    int exitCode() {
        return exitCode;
    }
}
