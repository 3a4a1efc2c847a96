package dev.weir.server.load;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * The last utilisation that each reporter of a service told. The highest one that is fresh counts, so that one busy
 * instance is enough. Thread-safe; time is a parameter, in nanoseconds.
 */
final class LoadReports {
    /** A report older than this counts as none. */
    static final long FRESH_NANOS = Duration.ofSeconds(10).toNanos();

    /** Reporters of one service that are remembered. Beyond that the lowest is dropped: it does not count anyway. */
    static final int MOST = 1_000;

    private final Map<String, Map<String, Report>> byService = new HashMap<>();

    private record Report(double utilisation, long at) {
        boolean isFresh(long now) {
            return now - at < FRESH_NANOS;
        }
    }

    synchronized void add(String service, String reporter, double utilisation, long now) {
        Map<String, Report> reports = byService.computeIfAbsent(service, name -> new HashMap<>());
        reports.put(reporter, new Report(utilisation, now));
        if (reports.size() > MOST) {
            reports.values().removeIf(each -> !each.isFresh(now));
        }
        if (reports.size() > MOST) {
            reports.entrySet().stream()
                    .min(Comparator.comparingDouble(each -> each.getValue().utilisation()))
                    .ifPresent(lowest -> reports.remove(lowest.getKey()));
        }
    }

    /** The highest fresh utilisation of {@code service}; NaN if there is none. */
    synchronized double highest(String service, long now) {
        Map<String, Report> reports = byService.get(service);
        if (reports == null) {
            return Double.NaN;
        }
        return reports.values().stream()
                .filter(each -> each.isFresh(now))
                .mapToDouble(Report::utilisation)
                .max()
                .orElse(Double.NaN);
    }
}
