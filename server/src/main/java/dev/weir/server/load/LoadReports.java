package dev.weir.server.load;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * The last utilisation that each reporter of a service sent. The highest one that is fresh counts, so that one busy
 * instance is enough. Thread-safe; time is a parameter, in nanoseconds.
 */
final class LoadReports {
    /** A report older than this counts as none. */
    static final long FRESH_NANOS = Duration.ofSeconds(10).toNanos();

    /** Reporters of one service that are remembered. Beyond that the lowest is dropped: it does not count anyway. */
    static final int MOST = 1_000;

    private final Map<String, Map<String, Report>> byService = new HashMap<>();

    /** A report of one reporter; {@code own} if it came to this server itself. */
    private record Report(double utilisation, long at, boolean own) {
        boolean isFresh(long now) {
            return now - at < FRESH_NANOS;
        }
    }

    /** Adds what {@code reporter} sent to this server. */
    void add(String service, String reporter, double utilisation, long now) {
        add(service, reporter, new Report(utilisation, now, true), now);
    }

    /** Adds what another server sent of its reporters. */
    void heard(String service, String server, double utilisation, long now) {
        add(service, "server " + server, new Report(utilisation, now, false), now);
    }

    private synchronized void add(String service, String reporter, Report report, long now) {
        Map<String, Report> reports = byService.computeIfAbsent(service, name -> new HashMap<>());
        reports.put(reporter, report);
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
    double highest(String service, long now) {
        return highest(service, now, false);
    }

    /** The highest fresh utilisation of {@code service} that was reported to this server itself; NaN if there is none. */
    double highestOwn(String service, long now) {
        return highest(service, now, true);
    }

    private synchronized double highest(String service, long now, boolean ownOnly) {
        Map<String, Report> reports = byService.get(service);
        if (reports == null) {
            return Double.NaN;
        }
        return reports.values().stream()
                .filter(each -> each.isFresh(now) && (each.own() || !ownOnly))
                .mapToDouble(Report::utilisation)
                .max()
                .orElse(Double.NaN);
    }
}
