package dev.weir.redis.internal.connection;

/** Finds the Lettuce and Netty on the class path, for a user whose framework brings other versions than Weir's. */
public final class LettuceVersion {
    private LettuceVersion() {}

    /** Returns the message for {@code missing}: the versions found and needed. It uses no class of Lettuce or Netty. */
    public static String mismatch(LinkageError missing) {
        return "weir-redis cannot run with " + jarOf("io.lettuce.core.RedisClient") + " and "
                + jarOf("io.netty.channel.EventLoopGroup")
                + " (expected: Lettuce 6.6 or later with the Netty that it needs;"
                + " let a framework such as Spring Boot choose both, or none of them): " + missing;
    }

    /** Returns the name of the jar that holds {@code type}; the name includes the version. */
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
