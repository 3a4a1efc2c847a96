package dev.weir;

/** The algorithm that a limit counts by. */
public enum Algorithm {
    TOKEN_BUCKET("token_bucket"),
    GCRA("gcra"),
    LEAKY_BUCKET("leaky_bucket"),
    FIXED_WINDOW("fixed_window"),
    SLIDING_WINDOW("sliding_window"),
    SLIDING_WINDOW_LOG("sliding_window_log"),
    /** Counts what is in flight instead of what passes in a window. */
    CONCURRENCY("concurrency");

    private final String text;

    Algorithm(String text) {
        this.text = text;
    }

    /** The name in rule files, answers and metrics. */
    public String text() {
        return text;
    }

    /** Whether the limit refills continuously, up to a burst, instead of counting in windows. */
    public boolean isBucket() {
        return switch (this) {
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> true;
            case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_WINDOW_LOG, CONCURRENCY -> false;
        };
    }

    /** Whether hits may pass beyond the burst on credit. */
    public boolean lendsCredit() {
        return this == TOKEN_BUCKET || this == GCRA;
    }

    /** Whether hits expire one by one as they were taken, so that only the counter itself knows when more hits fit. */
    public boolean slides() {
        return this == SLIDING_WINDOW || this == SLIDING_WINDOW_LOG;
    }

    @Override
    public String toString() {
        return text;
    }
}
