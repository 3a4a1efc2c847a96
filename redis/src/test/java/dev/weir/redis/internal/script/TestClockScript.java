package dev.weir.redis.internal.script;

/**
 * The script on a clock that tests set: a key beside the counters, in the hash slot of the first. Nothing expires,
 * because expiry is on Redis's own clock.
 */
public final class TestClockScript {
    private static final String CLOCK = """
            local now = tonumber(redis.call('GET', KEYS[1]:sub(1, %d) .. 'clock'))
            local grace = 1000000000
            """;
    private static final int TAG_END = 19;

    private TestClockScript() {}

    public static BatchScript script() {
        return BatchScript.load(CLOCK.formatted(TAG_END));
    }

    /** Returns the key of the time for counters of {@code subject}. */
    public static String key(long subject) {
        dev.weir.internal.counter.CounterName name = new dev.weir.internal.counter.CounterName();
        name.subject(subject);
        return new String(RedisKey.of(name), java.nio.charset.StandardCharsets.US_ASCII) + "clock";
    }
}
