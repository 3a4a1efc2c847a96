package dev.weir.benchmarks.redis;

/** One way to keep a limit in Redis: asked for a hit on a key, it tells the caller later. */
interface RedisSide extends AutoCloseable {
    String name();

    /** One hit on the key of that number; the answer goes to the caller once, in its home. */
    void ask(RedisCaller caller, int key);

    @Override
    void close();
}
