package dev.weir.server.settings;

import dev.weir.control.source.SourceAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits the value of {@code rules} into comma-separated paths and addresses. Commas between the hosts of an address,
 * before its first slash, belong to the address.
 */
final class RuleOrigins {
    /** An address with one or two slashes missing. */
    private static final Pattern MISSING_SLASH = Pattern.compile("(etcds?|xdss?):/?(?!/)(.*)");

    private static final Pattern ONE = Pattern.compile("etcds?://[^/]*/[^,]*|[^,]+");

    private RuleOrigins() {}

    /** All paths and addresses, in the given order. */
    static List<String> split(String text) {
        List<String> each = new ArrayList<>();
        Matcher matcher = ONE.matcher(text);
        while (matcher.find()) {
            each.add(matcher.group().strip());
        }
        return each;
    }

    /** Returns {@code text} with every path resolved by {@code resolve}. */
    static String resolved(String text, UnaryOperator<String> resolve) {
        return String.join(
                ",",
                split(text).stream()
                        .map(each -> isPath(each) ? resolve.apply(each) : each)
                        .toList());
    }

    /** The paths. What is neither a path nor an address is added to {@code problems}. */
    static List<Path> paths(String text, List<String> problems, String where) {
        List<Path> paths = new ArrayList<>();
        for (String each : split(text)) {
            Matcher missingSlash = MISSING_SLASH.matcher(each);
            Path path = isPath(each) ? SettingParsers.path(each) : null;
            if (path != null) {
                paths.add(path);
            } else if (missingSlash.matches()) {
                // The address may contain a password.
                String rest = missingSlash.group(2).contains("@") ? "…" : missingSlash.group(2);
                problems.add(where + ": slashes missing (did you mean " + missingSlash.group(1) + "://" + rest + "?)");
            } else if (!SourceAddress.isOne(each)) {
                problems.add(where + ": \"" + each + "\" (expected: a path)");
            }
        }
        return paths;
    }

    private static boolean isPath(String each) {
        return !SourceAddress.isOne(each) && !MISSING_SLASH.matcher(each).matches();
    }

    /** The addresses in the order of their layers: etcd below xDS, and otherwise as given. */
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
            problems.add(where + ": duplicate source (expected: each once)");
        }
        return etcd;
    }
}
