package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadCurve.Point;
import dev.weir.internal.model.LoadQuery;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
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
import org.jspecify.annotations.Nullable;

/** Reads {@code services}, which says where their load is read from, and {@code follows} of a rule. */
final class Services {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Pattern SHARE = Pattern.compile("[01](\\.[0-9]{1,3})?");
    private static final int DEFAULT_FLOOR = 100;
    private static final String EXAMPLE = "{ service: payments, at: { 0.8: 1, 0.9: 0.5 } }";

    private final DiagnosticCollector problems;
    private final Set<String> names = new HashSet<>();
    private final List<Placed<LoadQuery>> queries = new ArrayList<>();
    private boolean given;

    private Services(DiagnosticCollector problems) {
        this.problems = problems;
    }

    static Services read(Fields root) {
        Services services = new Services(root.problems());
        YamlNode node = root.node("services");
        services.given = node != null || root.isMeant("services");
        Fields fields = node == null ? null : Fields.of(node, "services", "{ payments: { load: … } }", root.problems());
        if (fields != null) {
            fields.entries().forEach(services::add);
        }
        return services;
    }

    List<Placed<LoadQuery>> loadQueries() {
        return queries;
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
        Fields fields = Fields.of(entry.value(), "service " + quote(name), "{ load: … }", problems);
        if (fields == null) {
            return;
        }
        fields.allow(
                List.of("load"), Map.of("prometheus", Fields.belongsIn("load"), "query", Fields.belongsIn("load")));
        YamlNode load = fields.node("load");
        Fields from = load == null
                ? null
                : Fields.of(load, "load", "{ prometheus: http://prometheus:9090, query: … }", problems);
        if (from != null) {
            from.allow(List.of("prometheus", "query"), Map.of("url", Suggestion.meant("prometheus")));
            query(name, from);
        }
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

    /** Returns how the limit of the rule with {@code fields} follows a load; null if it does not, or has an error. */
    @Nullable
    LoadCurve curve(Fields fields) {
        YamlNode node = fields.node("follows");
        Fields follows = node == null ? null : Fields.of(node, "follows", EXAMPLE, problems);
        if (follows == null) {
            return null;
        }
        int before = problems.errors();
        follows.allow(List.of("service", "at", "floor"), Map.of());
        String service = required(follows, "service", "the name of a service, as in " + EXAMPLE);
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
