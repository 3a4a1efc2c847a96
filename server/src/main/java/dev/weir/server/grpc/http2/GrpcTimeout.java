package dev.weir.server.grpc.http2;

/** Reads {@code grpc-timeout}: up to eight digits and a unit. */
final class GrpcTimeout {
    private static final int MAX_DIGITS = 8;

    private GrpcTimeout() {}

    /** The time in microseconds, rounded up, or {@link RequestHead#BAD_TIMEOUT}. */
    static long micros(CharSequence value) {
        int digits = value.length() - 1;
        if (digits < 1 || digits > MAX_DIGITS) {
            return RequestHead.BAD_TIMEOUT;
        }
        long number = 0;
        for (int i = 0; i < digits; i++) {
            int digit = value.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return RequestHead.BAD_TIMEOUT;
            }
            number = number * 10 + digit;
        }
        return switch (value.charAt(digits)) {
            case 'H' -> number * 3_600_000_000L;
            case 'M' -> number * 60_000_000;
            case 'S' -> number * 1_000_000;
            case 'm' -> number * 1_000;
            case 'u' -> number;
            case 'n' -> (number + 999) / 1_000;
            default -> RequestHead.BAD_TIMEOUT;
        };
    }
}
