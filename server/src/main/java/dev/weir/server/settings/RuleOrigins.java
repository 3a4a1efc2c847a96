package dev.weir.server.settings;

import dev.weir.control.source.SourceAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code rules} names, taken apart: paths and addresses, with commas between them. The commas between the hosts of an
 * address, before its first slash, are its own.
 */
final class RuleOrigins {
    /** What was meant to be an address: a slash or two are missing. */
    private static final Pattern NEARLY = Pattern.compile("(etcds?|xdss?):/?(?!/)(.*)");

    private static final Pattern ONE = Pattern.compile("etcds?://[^/]*/[^,]*|[^,]+");

    private RuleOrigins() {}

    /** Every path and address, in the order in which they were given. */
    static List<String> split(String text) {
        List<String> each = new ArrayList<>();
        Matcher matcher = ONE.matcher(text);
        while (matcher.find()) {
            each.add(matcher.group().strip());
        }
        return each;
    }

    /** The same with each path as {@code resolve} has it. */
    static String resolved(String text, UnaryOperator<String> resolve) {
        return String.join(
                ",",
                split(text).stream()
                        .map(each -> isPath(each) ? resolve.apply(each) : each)
                        .toList());
    }

    /** The paths, or null if one cannot be one. */
    static List<Path> paths(String text, List<String> problems, String where) {
        List<Path> paths = new ArrayList<>();
        for (String each : split(text)) {
            Matcher nearly = NEARLY.matcher(each);
            Path path = isPath(each) ? SettingParsers.path(each) : null;
            if (path != null) {
                paths.add(path);
            } else if (nearly.matches()) {
                // It may hold a password.
                String rest = nearly.group(2).contains("@") ? "…" : nearly.group(2);
                problems.add(where + ": an address with too few slashes (did you mean " + nearly.group(1) + "://" + rest
                        + "?)");
            } else if (!SourceAddress.isOne(each)) {
                problems.add(where + ": \"" + each + "\" (expected: a path)");
            }
        }
        return paths;
    }

    private static boolean isPath(String each) {
        return !SourceAddress.isOne(each) && !NEARLY.matcher(each).matches();
    }

    /** The addresses in the order of layers: etcd below xDS, and those of one kind as they were given. */
    static List<SourceAddress> addresses(String text, List<String> problems, String where) {
        List<SourceAddress> etcd = new ArrayList<>();
        List<SourceAddress> xds = new ArrayList<>();
        for (String each : split(text)) {
            try {
                if (SourceAddress.isOne(each)) {
                    SourceAddress address = SourceAddress.parse(each);
                    (address instanceof SourceAddress.Etcd ? etcd : xds).add(address);
                }
            } catch (IllegalArgumentException e) {
                problems.add(where + ": " + e.getMessage());
            }
        }
        etcd.addAll(xds);
        if (etcd.stream().map(SourceAddress::label).distinct().count() < etcd.size()) {
            problems.add(where + ": the same source twice (expected: each once)");
        }
        return etcd;
    }
}
