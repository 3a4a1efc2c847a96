package dev.weir.server.metrics;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.regex.Pattern;

/**
 * Writes the hits of each rule under the names and labels that envoyproxy/ratelimit gives them with its default mapper:
 * the parts of {@code DOMAIN.KEY_VALUE.KEY_VALUE…} between the dots become {@code domain}, {@code key1} and
 * {@code key2}, and deeper rules share the series of the level above them.
 */
final class ReferenceExposition {
    private static final String PREFIX = "ratelimit_service_";
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}");

    private final List<RuleSeries> series;
    private final IntToLongFunction requests;

    ReferenceExposition(List<RuleSeries> series, IntToLongFunction requests) {
        this.series = series;
        this.requests = requests;
    }

    void write(Exposition out) {
        hits(out, "total_hits", "Hits that were checked.", ThreadCounts.TOTAL_HITS);
        hits(out, "over_limit", "Hits over the limit.", ThreadCounts.OVER_HITS);
        hits(out, "near_limit", "Hits that passed above near_limit_ratio of the limit.", ThreadCounts.NEAR_HITS);
        hits(out, "within_limit", "Hits that passed.", ThreadCounts.WITHIN_HITS);
        hits(out, "shadow_mode", "Hits over the limit of a rule in shadow mode.", ThreadCounts.SHADOW_HITS);
        String name = PREFIX + "total_requests";
        out.metric(name, "counter", "Requests decided.");
        out.sample(
                name,
                Exposition.labels("grpc_method", "ShouldRateLimit"),
                requests.applyAsLong(ThreadCounts.ALLOWED)
                        + requests.applyAsLong(ThreadCounts.DENIED)
                        + requests.applyAsLong(ThreadCounts.UNMATCHED));
    }

    private void hits(Exposition out, String what, String help, int field) {
        String name = PREFIX + "rate_limit_" + what;
        out.metric(name, "counter", help);
        Map<String, Long> byLabels = new TreeMap<>();
        for (RuleSeries each : series) {
            if (!each.domain().isEmpty()) {
                byLabels.merge(labels(each.domain() + "." + each.rule()), each.count(field), Long::sum);
            }
        }
        byLabels.forEach((labels, count) -> out.sample(name, labels, (long) count));
    }

    private static String labels(String path) {
        String clean = IPV4.matcher(path.replace(':', '_').replace('|', '_'))
                .replaceAll(ip -> ip.group().replace('.', '_'));
        String[] parts = clean.split("\\.", -1);
        return parts.length == 2
                ? Exposition.labels("domain", parts[0], "key1", parts[1])
                : Exposition.labels("domain", parts[0], "key1", parts[1], "key2", parts[2]);
    }
}
