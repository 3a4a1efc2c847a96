package dev.weir.redis;

/** Who we are to Redis; an empty user is Redis's default one, an empty password none. */
public record RedisCredentials(String user, String password) {
    public static final RedisCredentials NONE = new RedisCredentials("", "");

    /** Never the password: this ends in logs. */
    @Override
    public String toString() {
        return (user.isEmpty() ? "default" : user) + (password.isEmpty() ? "" : ":…");
    }
}
