package dev.weir.redis.internal.connection;

/** Names the Lettuce and Netty that are on the class path, for a user whose framework brought others than Weir was compiled with. */
public final class LettuceVersion {
    private LettuceVersion() {}

    /** What to say of {@code missing}: what was found, and what is needed. Uses no class of Lettuce or Netty, which may not load. */
    public static String mismatch(LinkageError missing) {
        return "weir-redis cannot run with " + jarOf("io.lettuce.core.RedisClient") + " and "
                + jarOf("io.netty.channel.EventLoopGroup") + " (expected: Lettuce 7.7 or later with Netty 4.2;"
                + " if a framework manages them, set its lettuce.version and netty.version): " + missing;
    }

    /** The name of the jar that holds {@code type}, which has the version in it. */
    private static String jarOf(String type) {
        try {
            Class<?> found = Class.forName(type, false, LettuceVersion.class.getClassLoader());
            String jar =
                    found.getProtectionDomain().getCodeSource().getLocation().getPath();
            return jar.substring(jar.lastIndexOf('/') + 1);
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            return "no " + type;
        }
    }
}
