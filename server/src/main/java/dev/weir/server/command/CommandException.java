package dev.weir.server.command;

/** Reports that a command failed. The message tells a person why. */
final class CommandException extends Exception {
    CommandException(String message) {
        super(message);
    }
}
