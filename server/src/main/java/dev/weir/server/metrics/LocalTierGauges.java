package dev.weir.server.metrics;

import dev.weir.internal.lease.LeaseStats;
import dev.weir.internal.report.ReportStats;
import dev.weir.internal.tier.LocalTier;
import dev.weir.server.settings.Settings;
import java.util.function.DoubleSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What the server shows of what it knows of shared counters without asking; zero where none are shared. */
public record LocalTierGauges(Settings settings, @Nullable LocalTier tier) {

    public void addTo(ServerMetrics metrics) {
        metrics.gauge(
                        "ratelimit.tier.counters",
                        "Shared counters that are leased from or reported to.",
                        of(LocalTier::counters))
                .gauge(
                        "ratelimit.tier.counters.max",
                        "Shared counters that may be, before the next ones are asked exactly.",
                        () -> settings.limiter().tierCounters())
                .counter(
                        "ratelimit.deny.cache.hits",
                        "Requests denied without asking their store, for it had just said so.",
                        of(LocalTier::denied))
                .counter(
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
                .gauge(
                        "ratelimit.lease.held.hits",
                        "Hits that are held now, to be spent.",
                        of(each -> each.leases().held()))
                .gauge(
                        "ratelimit.leased.counters",
                        "Counters that are busy enough here to be leased.",
                        of(each -> each.leases().size()))
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
        return of(each -> number.applyAsLong(each.leases().stats()));
    }

    private DoubleSupplier told(ToLongFunction<ReportStats> number) {
        return of(each -> number.applyAsLong(each.reports().stats()));
    }

    private DoubleSupplier of(ToLongFunction<LocalTier> number) {
        return () -> tier == null ? 0 : number.applyAsLong(tier);
    }
}
