package dev.weir.server.command;

/** A command cannot do what was asked; the message says why, to a person. */
final class Refusal extends Exception {
    Refusal(String message) {
        super(message);
    }
}
