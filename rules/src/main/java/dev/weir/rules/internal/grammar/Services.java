package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Algorithm;
import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadCurve.Point;
import dev.weir.internal.model.LoadQuery;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.rules.internal.regions.ScopeReader;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code services}: the capacity of each, which becomes a rule, and where its load is read from. Also reads {@code
 * follows} and {@code reserve} of a rule.
 */
final class Services {
    static final String RESERVE = "reserve";

    /** The fields of a capacity that it shares with rules; its denials are always 503. */
    private static final List<String> BEHAVIOUR = Behaviour.SHARED.stream()
            .filter(each -> !List.of("deny_as", ScopeReader.NAME).contains(each))
            .toList();

    private static final List<String> CAPACITY = Stream.concat(
                    Stream.of("requests", "window", RESERVE, "shadow", "follows"), BEHAVIOUR.stream())
            .toList();

    private static final Map<String, String> NOT_OF_CAPACITY = Map.of(
            "rate", Suggestion.meant("requests"),
            "limit", Suggestion.meant("requests"),
            "reserved", Suggestion.meant(RESERVE),
            "algorithm", "a capacity is always counted by sliding_window",
            "burst", "a capacity is what the service can do in each window",
            "deny_as", "a capacity is always denied as 503",
            "key_by", "all requests of a service share its capacity",
            "match", "it belongs beside capacity");

    private static final Map<String, String> NOT_OF_SERVICE = Stream.of(
                    CAPACITY.stream().map(each -> Map.entry(each, Fields.belongsIn("capacity"))),
                    Stream.of("prometheus", "query").map(each -> Map.entry(each, Fields.belongsIn("load"))),
                    Stream.of(Map.entry("limit", Suggestion.meant("capacity"))))
            .flatMap(each -> each)
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private static final String CAPACITY_EXAMPLE = "{ requests: 5000, window: 1s, reserve: 0.2 }";
    private static final int DEFAULT_RESERVE = 200;
    private static final long SHORTEST_WINDOW_MICROS = 100_000;
    private static final long LONGEST_WINDOW_MICROS = 10_000_000;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Pattern SHARE = Pattern.compile("[01](\\.[0-9]{1,3})?");
    private static final int DEFAULT_FLOOR = 100;
    private static final String EXAMPLE = "{ service: payments, at: { 0.8: 1, 0.9: 0.5 } }";

    private final DiagnosticCollector problems;
    private final Set<String> names = new HashSet<>();
    private final List<Placed<LoadQuery>> queries = new ArrayList<>();
    private final List<ParsedRule> capacities = new ArrayList<>();
    private final MatchReader matches;
    private final StoreNames stores;
    private final Behaviour behaviour;
    private final Pricing pricing;
    private boolean given;

    private Services(
            DiagnosticCollector problems,
            MatchReader matches,
            StoreNames stores,
            Behaviour behaviour,
            Pricing pricing) {
        this.problems = problems;
        this.matches = matches;
        this.stores = stores;
        this.behaviour = behaviour;
        this.pricing = pricing;
    }

    static Services read(Fields root, MatchReader matches, StoreNames stores, Behaviour behaviour, Pricing pricing) {
        Services services = new Services(root.problems(), matches, stores, behaviour, pricing);
        YamlNode node = root.node("services");
        services.given = node != null || root.isMeant("services");
        Fields fields = node == null
                ? null
                : Fields.of(node, "services", "{ payments: { capacity: " + CAPACITY_EXAMPLE + " } }", root.problems());
        if (fields != null) {
            fields.entries().forEach(services::add);
        }
        return services;
    }

    List<Placed<LoadQuery>> loadQueries() {
        return queries;
    }

    /** Returns the rules that the capacities of the services are. */
    List<ParsedRule> capacities() {
        return capacities;
    }

    private void add(Entry entry) {
        String name = entry.key().text();
        if (!isName(name, entry.key().at())) {
            return;
        }
        names.add(name);
        if (entry.value() instanceof Scalar scalar && scalar.isNull()) {
            return; // it reports its load itself
        }
        Fields fields =
                Fields.of(entry.value(), "service " + quote(name), "{ capacity: " + CAPACITY_EXAMPLE + " }", problems);
        if (fields == null) {
            return;
        }
        fields.allow(List.of("match", "capacity", "load"), NOT_OF_SERVICE);
        List<MatchClause> match = matches.read(fields, behaviour.ignoresCase());
        capacity(name, entry.key().at(), fields, match);
        YamlNode load = fields.node("load");
        Fields from = load == null
                ? null
                : Fields.of(load, "load", "{ prometheus: http://prometheus:9090, query: … }", problems);
        if (from != null) {
            from.allow(List.of("prometheus", "query"), Map.of("url", Suggestion.meant("prometheus")));
            query(name, from);
        }
    }

    private void capacity(String service, Position at, Fields fields, List<MatchClause> match) {
        YamlNode node = fields.node("capacity");
        if (node == null) {
            if (fields.has("match") && fields.lacks("capacity")) {
                problems.warning(
                        fields.nameAt("match"), "match has no effect", "only the capacity of a service asks for it");
            }
            return;
        }
        Fields capacity = Fields.of(node, "capacity", CAPACITY_EXAMPLE, problems);
        if (capacity == null) {
            return;
        }
        int before = problems.errors();
        capacity.allow(CAPACITY, NOT_OF_CAPACITY);
        Long requests = capacity.whole("requests", 1, Long.MAX_VALUE);
        Long window = capacity.duration("window");
        for (String each : List.of("requests", "window")) {
            if (capacity.lacks(each)) {
                problems.error(capacity.at(), each + " is missing", "expected: " + CAPACITY_EXAMPLE);
            }
        }
        Integer reserve = capacity.has(RESERVE) ? reserve(capacity) : Integer.valueOf(DEFAULT_RESERVE);
        boolean shadow = capacity.flag("shadow", false);
        Behaviour own = behaviour.inRegion().with(capacity, stores).denying(Cause.CAPACITY);
        LoadCurve follows = curve(capacity, service);
        if (requests == null || window == null || reserve == null) {
            return;
        }
        Limit limit = new Limit(Algorithm.SLIDING_WINDOW, requests, window, requests, 1);
        check(capacity, limit);
        String refusal = Meters.refusal(limit);
        if (refusal != null) {
            problems.error(capacity.at("requests"), refusal);
        }
        if (problems.errors() == before) {
            capacities.add(new ParsedRule(
                    at,
                    "service:" + service,
                    match,
                    KeyBy.global(),
                    limit,
                    1,
                    shadow,
                    Rule.EVERYONE,
                    OverLimit.DENY,
                    follows,
                    reserve,
                    null,
                    own,
                    null,
                    pricing));
        }
    }

    /** Returns the reserve of the rule with {@code fields}; {@link Rule#NO_RESERVE} if it has none, or has errors. */
    int reserve(Fields fields, @Nullable Limit limit, KeyBy key) {
        if (!fields.has(RESERVE)) {
            return Rule.NO_RESERVE;
        }
        Integer reserve = reserve(fields);
        if (!key.parts().isEmpty()) {
            problems.error(
                    fields.nameAt(RESERVE),
                    "reserve on a rule with key_by",
                    "expected: key_by: [], because all requests share a capacity");
        }
        for (String each : List.of("over", EscalationReader.NAME, "rollout")) {
            if (fields.has(each)) {
                problems.error(fields.nameAt(each), each + " beside reserve", "a capacity does not have it");
            }
        }
        if (limit != null && (limit.algorithm() != Algorithm.SLIDING_WINDOW || limit.subWindows() > 1)) {
            problems.error(
                    fields.at("limit"),
                    "reserve with " + limit.algorithm(),
                    "expected: algorithm: sliding_window, without sub_windows");
        } else if (limit != null) {
            YamlNode node = fields.node("limit");
            Fields of = node == null ? null : Fields.of(node, "limit", problems);
            check(of == null ? fields : of, limit);
        }
        return reserve == null ? Rule.NO_RESERVE : reserve;
    }

    /** A long window would be used up long before it ends, and then everything would be shed for the rest of it. */
    private void check(Fields fields, Limit limit) {
        if (limit.windowMicros() < SHORTEST_WINDOW_MICROS || limit.windowMicros() > LONGEST_WINDOW_MICROS) {
            problems.error(
                    fields.at("window"),
                    "window: " + Durations.text(limit.windowMicros()),
                    "expected: 100ms to 10s; a capacity is what the service can do at any time, mostly per 1s");
        }
    }

    private @Nullable Integer reserve(Fields fields) {
        Scalar scalar = fields.scalar(RESERVE);
        if (scalar == null) {
            return null; // reported already
        }
        if (SHARE.matcher(scalar.text()).matches()) {
            int thousandths = new BigDecimal(scalar.text()).movePointRight(3).intValueExact();
            if (thousandths <= Rule.MOST_RESERVE) {
                return thousandths;
            }
        }
        problems.error(scalar.at(), "reserve: " + quote(scalar.text()), "expected: a share from 0 to 0.9, like 0.2");
        return null;
    }

    private boolean isName(String name, Position at) {
        if (NAME.matcher(name).matches()) {
            return true;
        }
        problems.error(at, "service " + quote(name), "expected: up to 100 letters, digits, dots, - and _");
        return false;
    }

    private void query(String service, Fields from) {
        String query = required(from, "query", "the PromQL of a utilisation from 0 to 1");
        String url = required(from, "prometheus", "the address of a Prometheus server, like http://prometheus:9090");
        if (url == null || query == null) {
            return;
        }
        if (!isHttp(url)) {
            String expected = "expected: http://host:port or https://host:port, with a path if it has one";
            problems.error(from.at("prometheus"), "prometheus: " + quote(url), expected);
            return;
        }
        queries.add(new Placed<>(new LoadQuery(service, url, query), from.at()));
    }

    private @Nullable String required(Fields fields, String name, String expected) {
        String text = fields.text(name);
        if (text == null && fields.lacks(name)) {
            problems.error(fields.at(), name + " is missing", "expected: " + expected);
        }
        return text;
    }

    private static boolean isHttp(String url) {
        try {
            URI uri = new URI(url);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            return http && uri.getHost() != null && uri.getQuery() == null && uri.getFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * Returns how the limit with {@code fields} follows a load; null if it does not, or has an error. Unless it names a
     * service it is that of {@code byDefault}.
     */
    @Nullable
    LoadCurve curve(Fields fields, @Nullable String byDefault) {
        YamlNode node = fields.node("follows");
        Fields follows = node == null ? null : Fields.of(node, "follows", EXAMPLE, problems);
        if (follows == null) {
            return null;
        }
        int before = problems.errors();
        follows.allow(List.of("service", "at", "floor"), Map.of());
        String service = byDefault != null && follows.lacks("service")
                ? byDefault
                : required(follows, "service", "the name of a service, as in " + EXAMPLE);
        if (service != null && isName(service, follows.at("service")) && given && !names.contains(service)) {
            problems.error(
                    follows.at("service"),
                    "no service " + quote(service),
                    Suggestion.among(service, List.copyOf(names)));
        }
        List<Point> points = points(follows);
        Integer floor = follows.has("floor") ? share(follows.scalar("floor"), "floor") : Integer.valueOf(DEFAULT_FLOOR);
        if (floor != null && floor == 0) {
            problems.error(follows.at("floor"), "floor: 0", "expected: above 0, or the limit would deny everything");
        }
        return problems.errors() > before || service == null || floor == null
                ? null
                : new LoadCurve(service, points, floor);
    }

    private List<Point> points(Fields follows) {
        YamlNode node = follows.node("at");
        if (node == null) {
            if (follows.lacks("at")) {
                problems.error(follows.at(), "at is missing", "expected: shares of the limit, as in " + EXAMPLE);
            }
            return List.of();
        }
        Fields at = Fields.of(node, "at", "{ 0.8: 1, 0.9: 0.5 }", problems);
        List<Point> points = new ArrayList<>();
        if (at == null) {
            return points;
        }
        if (at.entries().isEmpty()) {
            problems.error(at.at(), "at is empty", "expected: shares of the limit, like { 0.8: 1, 0.9: 0.5 }");
        }
        for (Entry each : at.entries()) {
            Integer utilisation = share(each.key(), "utilisation");
            Integer share = each.value() instanceof Scalar scalar
                    ? share(scalar, "share")
                    : wrong(each.value().at(), "share: " + each.value().kind());
            if (utilisation != null && share != null) {
                addPoint(new Point(utilisation, share), each.key().at(), points);
            }
        }
        return points;
    }

    private void addPoint(Point point, Position at, List<Point> points) {
        Point last = points.isEmpty() ? null : points.get(points.size() - 1);
        if (last != null && point.utilisation() <= last.utilisation()) {
            problems.error(at, "utilisation does not rise", "expected: the points of at by rising utilisation");
        } else if (last != null && point.share() > last.share()) {
            problems.error(at, "share rises with the load", "expected: shares that stay or fall as load rises");
        } else {
            points.add(point);
        }
    }

    private @Nullable Integer share(@Nullable Scalar scalar, String what) {
        if (scalar == null) {
            return null; // reported already
        }
        if (SHARE.matcher(scalar.text()).matches()) {
            int thousandths = new BigDecimal(scalar.text()).movePointRight(3).intValueExact();
            if (thousandths <= LoadCurve.WHOLE) {
                return thousandths;
            }
        }
        return wrong(scalar.at(), what + ": " + quote(scalar.text()));
    }

    private @Nullable Integer wrong(Position at, String what) {
        problems.error(at, what, "expected: a number from 0 to 1, like 0.9");
        return null;
    }
}
