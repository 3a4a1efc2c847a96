package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A setting: {@code http_port} in {@code weir.yaml}, {@code WEIR_HTTP_PORT} in the environment, {@code --http-port} as
 * a flag.
 *
 * @param fallback the default as it would be written; empty if another setting decides
 * @param expected a description of valid values, for error messages
 * @param reader parses a value, or returns null for an invalid one
 * @param reference the environment variable of the reference service with the same meaning, or null
 * @param inverted whether the reference's variable has the opposite meaning
 */
public record Setting<T>(
        String name,
        String parameter,
        String description,
        String fallback,
        String expected,
        Function<String, @Nullable T> reader,
        @Nullable String reference,
        boolean inverted) {

    static <T> Setting<T> of(
            String name,
            String parameter,
            String description,
            String fallback,
            String expected,
            Function<String, @Nullable T> reader) {
        return new Setting<>(name, parameter, description, fallback, expected, reader, null, false);
    }

    static Setting<Boolean> bool(String name, String description, String fallback) {
        return of(name, "BOOL", description, fallback, "true or false", SettingParsers::bool);
    }

    static Setting<Path> file(String name, String description) {
        return of(name, "FILE", description, "", "a path", SettingParsers::path);
    }

    static Setting<Integer> integer(String name, String description, String fallback, int min, int max) {
        return of(
                name,
                "N",
                description,
                fallback,
                "a number from " + min + " to " + max,
                SettingParsers.integer(min, max));
    }

    static Setting<String> secret(String name, String description) {
        return of(name, "SECRET", description, "", "", text -> text);
    }

    Setting<T> as(String reference) {
        return new Setting<>(name, parameter, description, fallback, expected, reader, reference, false);
    }

    Setting<T> asOpposite(String reference) {
        return new Setting<>(name, parameter, description, fallback, expected, reader, reference, true);
    }

    public String flag() {
        return "--" + name.replace('_', '-');
    }

    public String variable() {
        return "WEIR_" + name.toUpperCase(Locale.ROOT);
    }

    /** Whether it names a file, which in {@code weir.yaml} is relative to that file. */
    boolean isPath() {
        return parameter.startsWith("FILE") || parameter.equals("DIR");
    }

    /** Whether its flag may be repeated, which is the same as comma-separated values. */
    public boolean isRepeatable() {
        return parameter.endsWith(",…");
    }

    /**
     * Whether it is secret: it has no flag, because everyone on a machine can read command lines, and no message shows
     * it.
     */
    public boolean isSecret() {
        return parameter.equals("SECRET");
    }

    /** Whether the flag without a value means {@code true}. */
    public boolean isSwitch() {
        return parameter.equals("BOOL");
    }
}
