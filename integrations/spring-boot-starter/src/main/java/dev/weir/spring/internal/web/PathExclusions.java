package dev.weir.spring.internal.web;

import dev.weir.spring.internal.boot.WeirStartFailure;
import java.util.List;

/** The paths that are never limited, together with all below them. */
public final class PathExclusions {
    private final String[] paths;

    public PathExclusions(List<String> paths) {
        for (String each : paths) {
            if (!each.startsWith("/") || each.contains("*") || each.contains("?")) {
                throw new WeirStartFailure(
                        "weir.http.exclude: " + each + " (expected: a path such as /actuator, without patterns).",
                        "Write the path; all paths below it are excluded with it.");
            }
        }
        this.paths = paths.stream()
                .map(each -> each.endsWith("/") ? each.substring(0, each.length() - 1) : each)
                .toArray(String[]::new);
    }

    /** Whether {@code path}, as the framework routes it, is excluded. */
    public boolean contain(String path) {
        for (String each : paths) {
            if (path.startsWith(each) && (path.length() == each.length() || path.charAt(each.length()) == '/')) {
                return true;
            }
        }
        return false;
    }
}
