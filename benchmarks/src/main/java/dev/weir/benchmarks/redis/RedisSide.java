package dev.weir.benchmarks.redis;

/** One way to keep a limit in Redis: it is asked for a hit on a key, and answers the caller later. */
interface RedisSide extends AutoCloseable {
    String name();

    /** Asks for one hit on the key of that number; answers the caller once, in the caller's executor. */
    void ask(RedisCaller caller, int key);

    @Override
    void close();
}
