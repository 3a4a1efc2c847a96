package dev.weir.server.conformance;

import io.vertx.core.json.Json;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * A rule file of one domain in Envoy's spelling, of everything that a descriptor may say. Keys, values and patterns are few and
 * overlap, so that requests meet rules and each other's counters. Quotas, and they alone, bear a name that begins with {@link #QUOTA}.
 */
final class RandomRules {
    static final String QUOTA = "quota";

    static final String[] KEYS = {"a", "A", "b", "kéy: {1}", "🦆"};
    static final String[] VALUES = {
        "x",
        "xy",
        "xyz",
        "X",
        "",
        "404",
        "é",
        "e\u0301",
        "*",
        "x*",
        "xy*",
        "a b\n\t\"'",
        "\u0000{}",
        "🦆🦆",
        "/v1/x?y=1#z"
    };
    private static final String[] PATTERNS = {
        "", "", "x", "xy", "404", "é", "x*", "xy*", "*", "e*", "🦆*", "a b*", "/v1/*"
    };
    private static final String[] UNITS = {"minute", "HOUR", "Day", "week", "month", "year", "year"};
    private static final long[] REQUESTS = {0, 1, 2, 3, 5, 8, 13, 4_294_967_295L};
    private static final String[] FLAGS = {"shadow_mode", "detailed_metric", "value_to_metric"};

    private final Random random;
    private int names;

    RandomRules(Random random) {
        this.random = random;
    }

    String file(String domain) {
        return "domain: " + domain + "\n" + level(0, "");
    }

    private String level(int depth, String indent) {
        if (depth == 4) {
            return "";
        }
        StringBuilder yaml = new StringBuilder(indent).append("descriptors:\n");
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < 8 - depth; i++) {
            String key = pick(KEYS);
            String pattern = pick(PATTERNS);
            if (taken.add(key + "=" + pattern)) {
                yaml.append(indent).append("- key: ").append(Json.encode(key)).append('\n');
                yaml.append(descriptor(pattern, indent + "  "));
                if (random.nextInt(2 + depth) == 0) {
                    yaml.append(level(depth + 1, indent + "  "));
                }
            }
        }
        return yaml.toString();
    }

    private String descriptor(String pattern, String indent) {
        StringBuilder yaml = new StringBuilder();
        if (!pattern.isEmpty() || oneIn(4)) {
            yaml.append(indent).append("value: ").append(Json.encode(pattern)).append('\n');
        }
        if (pattern.endsWith("*") && oneIn(2)) {
            yaml.append(indent).append("share_threshold: true\n");
        }
        for (String flag : FLAGS) {
            if (oneIn(5)) {
                yaml.append(indent).append(flag).append(": true\n");
            }
        }
        boolean quota = oneIn(4);
        if (quota) {
            yaml.append(indent).append("quota_mode: true\n");
        }
        if (!oneIn(5)) {
            yaml.append(indent).append("rate_limit: {").append(limit(quota)).append("}\n");
        }
        return yaml.toString();
    }

    private String limit(boolean quota) {
        String numbers = oneIn(8)
                ? "unlimited: true"
                : "unit: " + pick(UNITS) + ", requests_per_unit: " + REQUESTS[random.nextInt(REQUESTS.length)];
        String name = quota ? QUOTA + names++ : oneIn(2) ? "rule" + names++ / 2 : "";
        String replaces = "";
        if (names > 0 && oneIn(3)) {
            String other = (oneIn(2) ? QUOTA : "rule") + random.nextInt(names);
            replaces = other.equals(name) ? "" : ", replaces: [{name: " + other + "}, {name: nobody}]";
        }
        return numbers + (name.isEmpty() ? "" : ", name: " + name) + replaces;
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    private String pick(String[] from) {
        return from[random.nextInt(from.length)];
    }
}
