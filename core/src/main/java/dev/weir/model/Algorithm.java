package dev.weir.model;

/** How a limit counts. */
public enum Algorithm {
    TOKEN_BUCKET("token_bucket"),
    GCRA("gcra"),
    LEAKY_BUCKET("leaky_bucket"),
    FIXED_WINDOW("fixed_window"),
    SLIDING_WINDOW("sliding_window"),
    SLIDING_WINDOW_LOG("sliding_window_log");

    private final String spelling;

    Algorithm(String spelling) {
        this.spelling = spelling;
    }

    /** The name in rule files, answers and metrics. */
    public String spelling() {
        return spelling;
    }

    @Override
    public String toString() {
        return spelling;
    }
}
