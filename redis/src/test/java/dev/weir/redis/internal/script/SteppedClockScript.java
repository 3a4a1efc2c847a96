package dev.weir.redis.internal.script;

/** The script on a clock of Redis that tests set while it runs. What it writes Redis forgets by its true time: so that is much later. */
public final class SteppedClockScript {
    /** The error of Redis's clock in microseconds. */
    public static final String KEY = "clock-is-ahead";

    private SteppedClockScript() {}

    public static BatchScript script() {
        return BatchScript.load("""
                local clock = redis.call('TIME')
                local now = clock[1] * 1000000 + clock[2] + (redis.call('GET', '%s') or 0)
                local grace = 1000000000
                """.formatted(KEY));
    }
}
