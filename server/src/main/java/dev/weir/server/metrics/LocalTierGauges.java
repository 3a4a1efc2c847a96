package dev.weir.server.metrics;

import dev.weir.internal.lease.LeaseStats;
import dev.weir.internal.report.ReportStats;
import dev.weir.internal.tier.LocalTier;
import dev.weir.server.settings.Settings;
import java.util.function.DoubleSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the local tier: what this server knows of shared counters without asking their store. All are zero if no
 * counter is shared.
 */
public record LocalTierGauges(Settings settings, @Nullable LocalTier tier) {

    public void addTo(ServerMetrics metrics) {
        metrics.gauge(
                        "ratelimit.tier.counters",
                        "Shared counters that this server leases from or reports to.",
                        of(LocalTier::counters))
                .gauge(
                        "ratelimit.tier.counters.max",
                        "Most such counters; checks of further ones ask their store.",
                        () -> settings.limiter().tierCounters())
                .counter(
                        "ratelimit.deny.cache.hits",
                        "Requests denied from the deny cache, without asking their store.",
                        of(LocalTier::denied))
                .counter(
                        "ratelimit.leased.decisions",
                        "Requests decided from leases, without asking a store.",
                        leaseStat(LeaseStats::decisions))
                .counter("ratelimit.leases", "Leases that stores granted.", leaseStat(LeaseStats::taken))
                .counter("ratelimit.lease.hits", "Hits that stores granted with leases.", leaseStat(LeaseStats::hits))
                .counter(
                        "ratelimit.lease.returned.hits",
                        "Unspent hits of leases that were returned to their store.",
                        leaseStat(LeaseStats::returned))
                .counter(
                        "ratelimit.leases.expired",
                        "Leases that expired with unspent hits.",
                        leaseStat(LeaseStats::expired))
                .counter(
                        "ratelimit.lease.stranded.hits",
                        "Unspent hits of leases that could not be returned: they count as spent.",
                        leaseStat(LeaseStats::stranded))
                .counter(
                        "ratelimit.lease.refilled.hits",
                        "Unspent hits of leases whose bucket was full again before they could be returned.",
                        leaseStat(LeaseStats::refilled))
                .gauge(
                        "ratelimit.lease.held.hits",
                        "Leased hits that are not spent yet.",
                        of(each -> each.leases().held()))
                .gauge(
                        "ratelimit.leased.counters",
                        "Counters that are busy enough on this server to be leased.",
                        of(each -> each.leases().size()))
                .gauge(
                        "ratelimit.leased.permits",
                        "Permits in flight that this server counts by itself.",
                        of(each -> each.permits().held()))
                .gauge(
                        "ratelimit.region.counters",
                        "Counters shared with other regions that this server uses.",
                        of(each -> each.regions().size()))
                .counter(
                        "ratelimit.region.reads",
                        "Reads of counts in the stores of other regions.",
                        of(each -> each.regions().asks()))
                .counter(
                        "ratelimit.region.read.failures",
                        "Such reads that were not answered.",
                        of(each -> each.regions().failures()))
                .counter("ratelimit.reports", "Reports sent to stores.", reportStat(ReportStats::reports))
                .counter(
                        "ratelimit.report.hits",
                        "Reported hits that stores have counted.",
                        reportStat(ReportStats::hits))
                .counter(
                        "ratelimit.report.over.hits",
                        "Reported hits beyond the limit: what all nodes together admitted too much.",
                        reportStat(ReportStats::over))
                .counter(
                        "ratelimit.report.dropped.hits",
                        "Hits that were not reported before their window ended.",
                        reportStat(ReportStats::dropped));
        settings.regions().others().keySet().forEach(each -> addRegion(metrics, each));
    }

    private void addRegion(ServerMetrics metrics, String region) {
        metrics.gauge(
                        "ratelimit.region.silent",
                        "1 if the region does not answer this server, so that its share of shared limits is kept.",
                        of(each -> each.regions().isSilent(region) ? 1 : 0),
                        "region",
                        region)
                .gauge(
                        "ratelimit.region.age.seconds",
                        "Age of the newest count of the region; -1 if there is none yet.",
                        of(each -> each.regions().ageMicros(region), 1e-6),
                        "region",
                        region);
    }

    private DoubleSupplier leaseStat(ToLongFunction<LeaseStats> number) {
        return of(each -> number.applyAsLong(each.leases().stats()));
    }

    private DoubleSupplier reportStat(ToLongFunction<ReportStats> number) {
        return of(each -> number.applyAsLong(each.reports().stats()));
    }

    private DoubleSupplier of(ToLongFunction<LocalTier> number, double unit) {
        DoubleSupplier plain = of(number);
        return () -> plain.getAsDouble() < 0 ? -1 : plain.getAsDouble() * unit;
    }

    private DoubleSupplier of(ToLongFunction<LocalTier> number) {
        return () -> tier == null ? 0 : number.applyAsLong(tier);
    }
}
