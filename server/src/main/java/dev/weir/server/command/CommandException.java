package dev.weir.server.command;

/** A command cannot do what was asked; the message says why, to a person. */
final class CommandException extends Exception {
    CommandException(String message) {
        super(message);
    }
}
