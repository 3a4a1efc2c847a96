package dev.weir.redis;

/** The user and password for Redis. An empty user is Redis's default user; an empty password means none. */
public record RedisCredentials(String user, String password) {
    public static final RedisCredentials NONE = new RedisCredentials("", "");

    /** Omits the password, because this text appears in logs. */
    @Override
    public String toString() {
        return (user.isEmpty() ? "default" : user) + (password.isEmpty() ? "" : ":…");
    }
}
