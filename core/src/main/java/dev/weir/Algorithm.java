package dev.weir;

/** How a limit counts. */
public enum Algorithm {
    TOKEN_BUCKET("token_bucket"),
    GCRA("gcra"),
    LEAKY_BUCKET("leaky_bucket"),
    FIXED_WINDOW("fixed_window"),
    SLIDING_WINDOW("sliding_window"),
    SLIDING_WINDOW_LOG("sliding_window_log");

    private final String text;

    Algorithm(String text) {
        this.text = text;
    }

    /** The name in rule files, answers and metrics. */
    public String text() {
        return text;
    }

    /** Whether room flows in hit by hit, up to a burst, and does not depend on where windows begin. */
    public boolean isBucket() {
        return switch (this) {
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> true;
            case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_WINDOW_LOG -> false;
        };
    }

    /** Whether hits leave one by one as they were taken, so that only the counter itself knows when there is room for so many. */
    public boolean slides() {
        return this == SLIDING_WINDOW || this == SLIDING_WINDOW_LOG;
    }

    @Override
    public String toString() {
        return text;
    }
}
