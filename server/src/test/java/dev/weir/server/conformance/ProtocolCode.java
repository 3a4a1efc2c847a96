package dev.weir.server.conformance;

/** The codes of the protocol. */
enum ProtocolCode {
    UNKNOWN,
    OK,
    OVER_LIMIT;

    static ProtocolCode of(int number) {
        return switch (number) {
            case 0 -> UNKNOWN;
            case 1 -> OK;
            case 2 -> OVER_LIMIT;
            default -> throw new IllegalArgumentException("code: " + number + " (expected: 0..2)");
        };
    }
}
