package dev.weir.server.command.client;

/** The exit codes of all commands. Scripts rely on them. */
public final class ExitCodes {
    /** Yes: it passed, it was done, it is valid. */
    public static final int YES = 0;
    /** No: it was denied, or it is not valid. */
    public static final int NO = 1;
    /** The arguments are wrong, or the server refused them. */
    public static final int USAGE = 2;
    /** There is nothing of this name. */
    public static final int NOT_FOUND = 3;
    /** The server, or a store or database that it needs, did not answer. */
    public static final int UNREACHABLE = 4;

    private ExitCodes() {}
}
