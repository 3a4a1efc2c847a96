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
                        .map(each -> SourceAddress.isOne(each) ? each : resolve.apply(each))
                        .toList());
    }

    /** The paths, or null if one cannot be one. */
    static List<Path> paths(String text, List<String> problems, String where) {
        List<Path> paths = new ArrayList<>();
        for (String each : split(text)) {
            Path path = SourceAddress.isOne(each) ? null : Values.path(each);
            if (path != null) {
                paths.add(path);
            } else if (!SourceAddress.isOne(each)) {
                problems.add(where + ": \"" + each + "\" (expected: a path)");
            }
        }
        return paths;
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
