package dev.weir.server.conformance;

/** The units of the protocol. */
enum ProtocolUnit {
    UNKNOWN(0, 0),
    SECOND(1, 1),
    MINUTE(2, 60),
    HOUR(3, 3_600),
    DAY(4, 86_400),
    MONTH(5, 30 * 86_400),
    YEAR(6, 365 * 86_400),
    WEEK(7, 7 * 86_400);

    final int number;
    final long seconds;

    ProtocolUnit(int number, long seconds) {
        this.number = number;
        this.seconds = seconds;
    }

    /** The start of the window that holds this moment. */
    long windowStart(long now) {
        return now / seconds * seconds;
    }

    static ProtocolUnit of(int number) {
        for (ProtocolUnit unit : values()) {
            if (unit.number == number) {
                return unit;
            }
        }
        throw new IllegalArgumentException("unit: " + number + " (expected: 0..7)");
    }
}
