package dev.weir.server.command;

/** The exit codes of all commands. Scripts rely on them. */
final class ExitCodes {
    /** Yes: it passed, it was done, it is valid. */
    static final int YES = 0;
    /** No: it was denied, or it is not valid. */
    static final int NO = 1;
    /** The arguments are wrong, or the server refused them. */
    static final int USAGE = 2;
    /** There is nothing of this name. */
    static final int NOT_FOUND = 3;
    /** The server, or a store or database that it needs, did not answer. */
    static final int UNREACHABLE = 4;

    private ExitCodes() {}
}
