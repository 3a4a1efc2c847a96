package dev.weir.rules;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Weir's spelling against a matcher that tries every rule, as the page on rules reads: slow, and nothing in it is shared with Weir's. */
class WeirMatchingModelTest {
    private static final Map<String, List<String>> PATTERNS = Map.of(
            "tier", List.of("free", "pro", "fr*", "*", "~^f", "Free"),
            "user_id", List.of("u1", "u*", "*1", "~[0-9]$"),
            "region", List.of("eu", "eu-*", "*-w*t", "~^(eu|us)$"),
            "method", List.of("GET", "POST", "P*"),
            "endpoint",
                    List.of("*", "/a", "/a/*", "GET /a", "post /a/*", "* /b", "POST *", "/*/c*d", "~^/a", "~^GET /a$"),
            "ip",
                    List.of(
                            "10.0.0.0/8",
                            "10.1.2.3",
                            "::ffff:10.1.2.3",
                            "2001:db8::/32",
                            "2001:db8::1",
                            "10.*",
                            "::/0",
                            "0.0.0.0/0",
                            "~^10[.]"),
            "remote_address", List.of("10.1.2.3", "10.0.0.0/7"),
            "peer_ip", List.of("10.0.0.0/8", "somewhere"));

    private static final Map<String, List<String>> VALUES = Map.of(
            "tier", List.of("free", "pro", "Free", "", "f"),
            "user_id", List.of("u1", "u2", "x1", ""),
            "region", List.of("eu", "eu-west", "us-wt", "eus"),
            "method", List.of("GET", "post", "PATCH", ""),
            "endpoint",
                    List.of(
                            "/a",
                            "/a/",
                            "/a/c/d",
                            "GET /a",
                            "post /a/x",
                            "POST /b",
                            "/b",
                            "",
                            "a",
                            "PUT  /a",
                            "/a?x=1",
                            "GET //x/../a/",
                            "POST /a/./c;v=1/d#e",
                            "/%61/%63",
                            "http://host/b"),
            "ip",
                    List.of(
                            "10.1.2.3",
                            "::FFFF:10.1.2.3",
                            "11.0.0.1",
                            "2001:DB8:0::1",
                            "2001:db8::ffff",
                            "::1",
                            "nobody",
                            "10.1.2.3:80",
                            "[2001:db8::1]:443",
                            ""),
            "remote_address", List.of("10.1.2.3", "10.200.0.1", "2001:db8::2"),
            "peer_ip", List.of("10.9.9.9", "somewhere"),
            "api_key", List.of("k1", "k2", "10.1.2.3"),
            "client_id", List.of("u1", "k1", "10.1.2.3"));

    private static final List<List<List<String>>> KEYS = List.of(
            List.of(),
            List.of(List.of("user_id")),
            List.of(List.of("ip")),
            List.of(List.of("user_id"), List.of("ip")),
            List.of(List.of("api_key", "ip")),
            List.of(List.of("region", "api_key"), List.of("endpoint")),
            List.of(List.of("method"), List.of("peer_ip")));

    private record Rule(String name, Map<String, List<String>> match, List<List<String>> key, boolean shares) {}

    private final Map<String, String> attributes = new LinkedHashMap<>();

    @Property(tries = 150)
    void everyRuleThatHoldsAppliesAndCountsByItsKey(@ForAll long seed) {
        Random random = new Random(seed);
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            rules.add(rule("r" + i, random));
        }
        MatchedRequests matched = new MatchedRequests(text(rules));
        for (int i = 0; i < 40; i++) {
            List<Map.Entry<String, String>> entries = request(random);
            attributes.clear();
            entries.forEach(each -> attributes.putIfAbsent(
                    each.getKey(), each.getKey().equals("endpoint") ? form(each.getValue()) : each.getValue()));
            Map<String, Object> expected = new LinkedHashMap<>();
            for (Rule each : rules) {
                List<Object> key = holds(each) ? key(each) : null;
                if (key != null) {
                    expected.put(each.name(), List.of(each.name(), key));
                }
            }
            matched.check(entries, true, expected);
        }
    }

    private static Rule rule(String name, Random random) {
        Map<String, List<String>> match = new LinkedHashMap<>();
        for (String attribute : PATTERNS.keySet().stream().sorted().toList()) {
            if (random.nextInt(4) == 0) {
                List<String> values = new ArrayList<>();
                for (int i = random.nextInt(3) / 2; i >= 0; i--) {
                    values.add(pick(PATTERNS.getOrDefault(attribute, List.of()), random));
                }
                match.put(attribute, values);
            }
        }
        return new Rule(name, match, pick(KEYS, random), random.nextBoolean());
    }

    private static List<Map.Entry<String, String>> request(Random random) {
        List<Map.Entry<String, String>> entries = new ArrayList<>();
        List<String> names = VALUES.keySet().stream().sorted().toList();
        for (int i = random.nextInt(8); i >= 0; i--) {
            String name = pick(names, random);
            entries.add(Map.entry(name, pick(VALUES.getOrDefault(name, List.of()), random)));
        }
        return entries;
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    private static String text(List<Rule> rules) {
        StringBuilder text = new StringBuilder("domain: d\nrules:\n");
        for (Rule each : rules) {
            text.append("  - name: ").append(each.name()).append("\n    match:\n");
            each.match()
                    .forEach((attribute, values) -> text.append("      " + attribute + ": [")
                            .append(String.join(
                                    ", ",
                                    values.stream().map(v -> "'" + v + "'").toList()))
                            .append("]\n"));
            text.append("    key_by: [")
                    .append(String.join(
                            ", ",
                            each.key().stream()
                                    .map(part -> String.join(" | ", part))
                                    .toList()))
                    .append("]\n    on_missing: ")
                    .append(each.shares() ? "share" : "skip")
                    .append("\n    limit: { requests: 100000, window: 1h, algorithm: fixed_window }\n");
        }
        return text.toString();
    }

    /** The normal form of an endpoint, step by step as the page on rules reads. */
    private static String form(String endpoint) {
        var parts = Pattern.compile("(?s)(?:([A-Za-z*_-]+) +)?(?:http://[^/]*)?(/.*)")
                .matcher(endpoint);
        if (!parts.matches()) {
            return endpoint;
        }
        String path = parts.group(2).replaceAll("[?#].*", "").replaceAll(";[^/]*", "");
        path = path.replace("%61", "a").replace("%63", "c").replaceAll("/+", "/");
        path = path.replaceAll("/\\.(?=/|$)", "").replaceAll("/[^/]+/\\.\\.(?=/|$)", "");
        path = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return parts.group(1) == null ? path : parts.group(1).toUpperCase(Locale.ROOT) + " " + path;
    }

    private @Nullable String value(String attribute) {
        String value = attributes.get(attribute);
        if (value == null && attribute.equals("ip")) {
            return attributes.get("remote_address");
        }
        if (value == null && attribute.equals("remote_address")) {
            return attributes.get("ip");
        }
        String endpoint = attributes.get("endpoint");
        if (value == null && attribute.equals("method") && endpoint != null && hasMethod(endpoint)) {
            return endpoint.substring(0, endpoint.indexOf(' '));
        }
        return value;
    }

    private boolean holds(Rule rule) {
        return rule.match().entrySet().stream()
                .allMatch(clause -> clause.getValue().stream().anyMatch(each -> holds(clause.getKey(), each)));
    }

    private boolean holds(String attribute, String pattern) {
        String value = value(attribute);
        if (attribute.equals("endpoint") && pattern.equals("*")) {
            return true;
        }
        if (value == null) {
            return false;
        }
        if (pattern.startsWith("~")) {
            return Pattern.compile(pattern.substring(1)).matcher(value).find();
        }
        if (attribute.equals("endpoint")) {
            return meetsEndpoint(pattern, value);
        }
        boolean block = attribute.endsWith("ip") || attribute.equals("remote_address");
        String[] parts = pattern.split("/");
        BigInteger address = block ? address(parts[0]) : null;
        return address == null ? glob(pattern, value) : inBlock(address, parts, value);
    }

    private boolean meetsEndpoint(String pattern, String endpoint) {
        String asked = hasMethod(pattern) ? pattern.substring(0, pattern.indexOf(' ')) : "*";
        String path = hasMethod(pattern) ? pattern.substring(pattern.indexOf(' ') + 1) : pattern;
        String own = hasMethod(endpoint) ? endpoint.substring(0, endpoint.indexOf(' ')) : attributes.get("method");
        String rest = hasMethod(endpoint) ? endpoint.substring(endpoint.indexOf(' ') + 1) : endpoint;
        boolean any = asked.equals("*") || own == null || own.isEmpty();
        boolean folder = path.endsWith("/*") && glob(path.substring(0, path.length() - 2), rest);
        return (any || asked.equalsIgnoreCase(own)) && (folder || glob(path, rest));
    }

    private static boolean hasMethod(String endpoint) {
        return endpoint.matches("(?s)[A-Za-z*_-]+ .*");
    }

    private static boolean glob(String pattern, String value) {
        String regex = "\\Q" + pattern.replace("*", "\\E.*\\Q") + "\\E";
        return Pattern.compile(regex, Pattern.DOTALL).matcher(value).matches();
    }

    /** The 128 bits of an address, IPv4 in its mapped form; null if it is none. */
    private static @Nullable BigInteger address(String decorated) {
        String text = decorated.replaceFirst("^\\[(.*)](:[0-9]+)?$", "$1").replaceFirst("^([0-9.]+):[0-9]+$", "$1");
        if (!text.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
            return null;
        }
        try {
            byte[] bytes = InetAddress.getByName(text).getAddress();
            BigInteger bits = new BigInteger(1, bytes);
            return bytes.length == 4 ? bits.add(BigInteger.valueOf(0xffffL << 32)) : bits;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static boolean isIpv4(BigInteger address) {
        return address.shiftRight(32).equals(BigInteger.valueOf(0xffff));
    }

    private static boolean inBlock(BigInteger block, String[] parts, String value) {
        BigInteger address = address(value);
        int family = isIpv4(block) ? 32 : 128;
        int prefix = parts.length == 1 ? family : Integer.parseInt(parts[1]);
        return address != null
                && isIpv4(address) == isIpv4(block)
                && address.shiftRight(family - prefix).equals(block.shiftRight(family - prefix));
    }

    /** The values that tell the counter from others; null if the request lacks one and the rule is skipped then. */
    private @Nullable List<Object> key(Rule rule) {
        List<Object> key = new ArrayList<>();
        for (List<String> alternatives : rule.key()) {
            Object part = part(alternatives);
            if (part == null && !rule.shares()) {
                return null;
            }
            key.add(part == null ? "missing" : part);
        }
        return key;
    }

    private @Nullable Object part(List<String> alternatives) {
        for (String each : alternatives) {
            String value = value(each);
            if (value != null && !value.isEmpty()) {
                return List.of(each, caller(each, value));
            }
        }
        String client = attributes.get("client_id");
        for (String each : alternatives) {
            if (List.of("user_id", "api_key", "ip").contains(each) && client != null && !client.isEmpty()) {
                return List.of(each, caller(each, client));
            }
        }
        return null;
    }

    private static Object caller(String attribute, String value) {
        BigInteger address = attribute.endsWith("ip") ? address(value) : null;
        return address == null
                ? value
                : isIpv4(address) ? address : address.shiftRight(64).shiftLeft(64);
    }
}
