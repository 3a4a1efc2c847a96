package dev.weir.server.settings;

import dev.weir.text.fields.Durations;
import java.lang.System.Logger.Level;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses the values of settings; null means that a value is invalid. */
final class SettingParsers {
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_.:%-]+");
    private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~A-Za-z0-9-]{1,128}");

    /** So few digits that no unit makes them overflow. */
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(?:([KMGkmg])(?:i?[Bb])?)?");

    private SettingParsers() {}

    static @Nullable Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    static @Nullable String host(String text) {
        String bare = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        return HOST.matcher(bare).matches() ? bare : null;
    }

    /** Parses {@code host:port}; as in Go, {@code :port} means all addresses. */
    static @Nullable ListenAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon <= 0 ? "0.0.0.0" : host(text.substring(0, colon));
        Integer port = integer(0, 65_535).apply(text.substring(colon + 1));
        return colon < 0 || host == null || port == null ? null : new ListenAddress(host, port);
    }

    /** Parses a decimal number from 0 to 1. */
    static @Nullable Double share(String text) {
        return text.matches("0(\\.[0-9]+)?|\\.[0-9]+|1(\\.0+)?") ? Double.valueOf(text) : null;
    }

    static @Nullable List<String> names(String text) {
        List<String> names = Stream.of(text.split(","))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toList();
        return names.isEmpty() ? null : names;
    }

    static @Nullable String headerName(String text) {
        return HEADER.matcher(text).matches() ? text : null;
    }

    /** Accepts Go's booleans too, which deployments of the reference use. */
    static @Nullable Boolean bool(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "t", "1", "yes", "on" -> true;
            case "false", "f", "0", "no", "off" -> false;
            default -> null;
        };
    }

    /** Accepts logrus's names too, which deployments of the reference use. */
    static @Nullable Level level(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "trace" -> Level.TRACE;
            case "debug" -> Level.DEBUG;
            case "info" -> Level.INFO;
            case "warn", "warning" -> Level.WARNING;
            case "error", "fatal", "panic" -> Level.ERROR;
            default -> null;
        };
    }

    static @Nullable Duration duration(String text) {
        try {
            return Duration.of(Durations.micros(text), ChronoUnit.MICROS);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    static Function<String, @Nullable Duration> duration(Duration min, Duration max) {
        return text -> {
            Duration value = duration(text);
            return value == null || value.compareTo(min) < 0 || value.compareTo(max) > 0 ? null : value;
        };
    }

    static Function<String, @Nullable Integer> integer(int min, int max) {
        Function<String, @Nullable Long> number = number(min, max);
        return text -> {
            Long value = number.apply(text);
            return value == null ? null : value.intValue();
        };
    }

    static Function<String, @Nullable Long> number(long min, long max) {
        return text -> {
            try {
                long value = Long.parseLong(text);
                return value >= min && value <= max ? value : null;
            } catch (NumberFormatException e) {
                return null;
            }
        };
    }

    /** Parses bytes: a number, or one with KiB, MiB or GiB. */
    static Function<String, @Nullable Long> size(long min, long max) {
        return text -> {
            Matcher size = SIZE.matcher(text);
            if (!size.matches()) {
                return null;
            }
            int shift = switch (String.valueOf(size.group(2)).toLowerCase(Locale.ROOT)) {
                case "k" -> 10;
                case "m" -> 20;
                case "g" -> 30;
                default -> 0;
            };
            long bytes = Long.parseLong(size.group(1)) << shift;
            return bytes >= min && bytes <= max ? bytes : null;
        };
    }

    static <E extends Enum<E>> Function<String, @Nullable E> constant(E[] constants) {
        return text -> {
            for (E each : constants) {
                if (each.name().equalsIgnoreCase(text)) {
                    return each;
                }
            }
            return null;
        };
    }
}
