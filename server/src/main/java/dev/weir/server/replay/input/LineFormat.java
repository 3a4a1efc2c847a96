package dev.weir.server.replay.input;

/** Reads the lines of one file. */
interface LineFormat {
    /**
     * Reads {@code bytes} from {@code from} to {@code end}, a line without its line break, into {@code into}.
     *
     * @throws LineException if the line cannot be read
     */
    LineKind read(byte[] bytes, int from, int end, TrafficLine into) throws LineException;
}
