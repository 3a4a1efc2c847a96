package dev.weir.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Envoy's spelling against a walk of the tree as it is written; nothing in it is shared with Weir's. */
class EnvoyMatchingModelTest {
    private static final List<String> KEYS = List.of("a", "b", "endpoint", "ip", "remote_address");
    private static final List<String> PATTERNS =
            List.of("", "x", "xy", "x*", "*", "*y", "x*y*", "GET /x", "GET *", "/x");
    private static final List<String> VALUES = List.of("x", "xy", "xyy", "y", "", "x*", "GET /x", "/x", "/y");

    private record Node(String key, String value, boolean shares, boolean limited, List<Node> children) {
        String step() {
            return value.isEmpty() ? key : key + "_" + value;
        }
    }

    private final Map<String, Object> met = new LinkedHashMap<>();
    private List<Map.Entry<String, String>> entries = List.of();

    @Property(tries = 150)
    void aDescriptorMeetsTheNodeOfItsLastEntry(@ForAll long seed) {
        Random random = new Random(seed);
        List<Node> tree = level(random, 3);
        MatchedRequests matched = new MatchedRequests(text(tree));
        for (int i = 0; i < 60; i++) {
            entries = request(random, 4);
            met.clear();
            walk(tree, 0, "", List.of());
            matched.check(entries, false, met);
        }
    }

    @Property(tries = 150)
    void attributesMeetEveryPathWhoseKeysTheyHold(@ForAll long seed) {
        Random random = new Random(seed);
        List<Node> tree = level(random, 3);
        MatchedRequests matched = new MatchedRequests(text(tree));
        for (int i = 0; i < 60; i++) {
            entries = request(random, 5);
            if (random.nextBoolean()) {
                entries.add(Map.entry("method", "GET"));
            }
            met.clear();
            walkAttributes(tree, "", List.of());
            matched.check(entries, true, met);
        }
    }

    private static List<Node> level(Random random, int depth) {
        Map<String, Node> level = new LinkedHashMap<>();
        for (int i = random.nextInt(7) + (depth == 3 ? 3 : 0); i > 0; i--) {
            String key = pick(KEYS, random);
            String value = pick(PATTERNS, random);
            boolean shares = value.contains("*") && random.nextBoolean();
            List<Node> children = depth > 1 && random.nextInt(3) > 0 ? level(random, depth - 1) : List.of();
            level.putIfAbsent(key + "=" + value, new Node(key, value, shares, random.nextInt(4) > 0, children));
        }
        return List.copyOf(level.values());
    }

    private static List<Map.Entry<String, String>> request(Random random, int most) {
        List<Map.Entry<String, String>> entries = new ArrayList<>();
        for (int i = random.nextInt(most); i >= 0; i--) {
            entries.add(Map.entry(pick(KEYS, random), pick(VALUES, random)));
        }
        return entries;
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    private static String text(List<Node> tree) {
        return "{ domain: d, descriptors: [" + nodes(tree) + "] }";
    }

    private static String nodes(List<Node> nodes) {
        StringBuilder text = new StringBuilder();
        for (Node each : nodes) {
            text.append("{ key: ").append(each.key()).append(", value: '" + each.value() + "'");
            text.append(each.shares() ? ", share_threshold: true" : "");
            text.append(each.limited() ? ", rate_limit: { unit: hour, requests_per_unit: 100000 }" : "");
            text.append(", descriptors: [").append(nodes(each.children())).append("] },\n");
        }
        return text.toString();
    }

    private void walk(List<Node> level, int entry, String label, List<Object> counter) {
        Map.Entry<String, String> next = entries.get(entry);
        Node node = taking(level, next.getKey(), next.getValue());
        if (node == null) {
            return;
        }
        String path = label.isEmpty() ? node.step() : label + "." + node.step();
        List<Object> longer = longer(counter, node, next.getValue());
        if (entry == entries.size() - 1) {
            meet(node, path, longer);
        } else {
            walk(node.children(), entry + 1, path, longer);
        }
    }

    private void walkAttributes(List<Node> level, String label, List<Object> counter) {
        Map<String, String> attributes = new LinkedHashMap<>();
        entries.forEach(each -> attributes.putIfAbsent(each.getKey(), each.getValue()));
        if (attributes.containsKey("ip")) {
            attributes.putIfAbsent("remote_address", attributes.get("ip"));
        }
        attributes.forEach((key, given) -> {
            String value = given;
            Node node = null;
            if (key.equals("endpoint") && attributes.containsKey("method") && !given.matches("[A-Z]+ .*")) {
                value = attributes.get("method") + " " + given;
                node = askingFor(level, key, value);
            }
            if (node == null) {
                value = given;
                node = taking(level, key, value);
            }
            if (node != null) {
                String path = label.isEmpty() ? node.step() : label + "." + node.step();
                List<Object> longer = longer(counter, node, value);
                meet(node, path, longer);
                walkAttributes(node.children(), path, longer);
            }
        });
    }

    /** The exact value, be it a wildcard's text, else the wildcards in the order of the file, else the key alone. */
    private static @Nullable Node taking(List<Node> level, String key, String value) {
        Node asking = askingFor(level, key, value);
        return asking != null
                ? asking
                : level.stream()
                        .filter(each -> each.key().equals(key) && each.value().isEmpty())
                        .findFirst()
                        .orElse(null);
    }

    private static @Nullable Node askingFor(List<Node> level, String key, String value) {
        List<Node> same = level.stream()
                .filter(each -> each.key().equals(key) && !each.value().isEmpty())
                .toList();
        return same.stream()
                .filter(each -> each.value().equals(value))
                .findFirst()
                .or(() -> same.stream()
                        .filter(each -> each.value().contains("*") && glob(each.value(), value))
                        .findFirst())
                .orElse(null);
    }

    private static boolean glob(String pattern, String value) {
        return Pattern.matches("\\Q" + pattern.replace("*", "\\E.*\\Q") + "\\E", value);
    }

    private static List<Object> longer(List<Object> counter, Node node, String value) {
        List<Object> longer = new ArrayList<>(counter);
        longer.add(node.shares() ? List.of(node.key(), node.value(), "shared") : List.of(node.key(), value));
        return longer;
    }

    private void meet(Node node, String label, List<Object> counter) {
        if (node.limited()) {
            met.put(label, counter);
        }
    }
}
