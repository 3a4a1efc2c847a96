package dev.weir.server;

import dev.weir.lease.LeaseStats;
import dev.weir.lease.Leases;
import dev.weir.limiter.Limiter;
import dev.weir.report.ReportStats;
import dev.weir.report.Reports;
import dev.weir.server.metrics.ServerMetrics;
import java.util.function.DoubleSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What the server shows of hits that it takes from shared stores ahead of time, or tells them of later; zero without one. */
record LeaseGauges(@Nullable Leases leases, @Nullable Reports reports) {

    LeaseGauges(Limiter limiter) {
        this(limiter.leases(), limiter.reports());
    }

    void addTo(ServerMetrics metrics) {
        metrics.counter(
                        "ratelimit.leased.decisions",
                        "Requests decided without asking a store: what they take was paid for before.",
                        stat(LeaseStats::decisions))
                .counter("ratelimit.leases", "Leases that stores granted.", stat(LeaseStats::taken))
                .counter("ratelimit.lease.hits", "Hits that stores granted with them.", stat(LeaseStats::hits))
                .counter(
                        "ratelimit.lease.returned.hits",
                        "Hits of leases that were not spent, and that their store has taken back.",
                        stat(LeaseStats::returned))
                .counter(
                        "ratelimit.leases.expired",
                        "Leases that were not spent when they expired.",
                        stat(LeaseStats::expired))
                .counter(
                        "ratelimit.lease.stranded.hits",
                        "Hits of leases that were not spent and could not be given back: they count as spent.",
                        stat(LeaseStats::stranded))
                .gauge("ratelimit.lease.held.hits", "Hits that are held now, to be spent.", of(Leases::held))
                .gauge(
                        "ratelimit.leased.counters",
                        "Counters that are busy enough here to be leased.",
                        of(Leases::size))
                .counter(
                        "ratelimit.reports",
                        "Times that a store was told of reported counts.",
                        told(ReportStats::reports))
                .counter("ratelimit.report.hits", "Reported hits that stores have counted.", told(ReportStats::hits))
                .counter(
                        "ratelimit.report.over.hits",
                        "Reported hits that did not fit any more: what nodes admitted together beyond the limit.",
                        told(ReportStats::over))
                .counter(
                        "ratelimit.report.dropped.hits",
                        "Hits that were not reported before their window had gone.",
                        told(ReportStats::dropped));
    }

    private DoubleSupplier stat(ToLongFunction<LeaseStats> number) {
        return of(each -> number.applyAsLong(each.stats()));
    }

    private DoubleSupplier told(ToLongFunction<ReportStats> number) {
        return () -> reports == null ? 0 : number.applyAsLong(reports.stats());
    }

    private DoubleSupplier of(ToLongFunction<Leases> number) {
        return () -> leases == null ? 0 : number.applyAsLong(leases);
    }
}
