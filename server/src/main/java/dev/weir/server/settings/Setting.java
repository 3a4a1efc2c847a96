package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be set: {@code http_port} in {@code weir.yaml}, {@code WEIR_HTTP_PORT} in the environment,
 * {@code --http-port} as a flag.
 *
 * @param fallback what holds when nobody sets it, as it would be written; empty where another setting decides
 * @param expected what a value may be, for the message about one that is not
 * @param reader reads a value, or returns null for what it cannot be
 * @param reference the environment variable of the reference service with the same meaning, or null
 * @param inverted the reference's variable says the opposite
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

    static Setting<Boolean> truth(String name, String description, String fallback) {
        return of(name, "BOOL", description, fallback, "true or false", SettingParsers::bool);
    }

    static Setting<Path> file(String name, String description) {
        return of(name, "FILE", description, "", "a path", SettingParsers::path);
    }

    static Setting<Integer> integer(String name, String description, String fallback, int least, int most) {
        return of(
                name,
                "N",
                description,
                fallback,
                "a number from " + least + " to " + most,
                SettingParsers.integer(least, most));
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

    /** Whether it names a file, which in {@code weir.yaml} is meant from there. */
    boolean isPath() {
        return parameter.startsWith("FILE") || parameter.equals("DIR");
    }

    /** Whether its flag may be given several times, which is the same as once with commas between the values. */
    public boolean isRepeatable() {
        return parameter.endsWith(",…");
    }

    /** Whether it must not be seen: it has no flag, for command lines are read by everyone on a machine, and no message shows it. */
    public boolean isSecret() {
        return parameter.equals("SECRET");
    }

    /** Whether the flag alone, without a value, means {@code true}. */
    public boolean isSwitch() {
        return parameter.equals("BOOL");
    }
}
