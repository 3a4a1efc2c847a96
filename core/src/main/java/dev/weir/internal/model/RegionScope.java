package dev.weir.internal.model;

import dev.weir.Limit;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Over which regions a limit holds.
 *
 * @param slices the part of the limit that each region enforces, in millionths that add up to one; empty unless the kind
 *     is {@link Kind#SLICES}
 * @param own the region of this process; null if it is in none, and then the whole limit is enforced here
 * @param whole the limit over all regions, of which a rule has the part of its region; null unless it is sliced
 * @param others the stores of the other regions, by region; empty unless the kind is {@link Kind#SHARED}
 */
public record RegionScope(
        Kind kind,
        SortedMap<String, Integer> slices,
        @Nullable String own,
        @Nullable Limit whole,
        SortedMap<String, String> others) {
    /** How regions share a limit. */
    public enum Kind {
        /** Each region counts for itself. */
        REGION,
        /** Each region enforces its part of the limit. */
        SLICES,
        /** All regions count in the Redis of the home region, by leases. */
        GLOBAL,
        /** Each region counts its own hits, and the others read them. */
        SHARED
    }

    /** The sum of all slices. */
    public static final int WHOLE = 1_000_000;

    /** The scope of a rule that names none. */
    public static final RegionScope REGION = of(Kind.REGION, null, Map.of());

    /** One limit for all regions. */
    public static final RegionScope GLOBAL = of(Kind.GLOBAL, null, Map.of());

    /** A part for each region. */
    public static RegionScope slices(Map<String, Integer> millionths, @Nullable String own) {
        return new RegionScope(Kind.SLICES, new TreeMap<>(millionths), own, null, new TreeMap<>());
    }

    /**
     * A count that the region {@code own} shares with others, whose {@code stores} it reads, by region; without any it
     * counts alone.
     */
    public static RegionScope shared(@Nullable String own, Map<String, String> stores) {
        return of(Kind.SHARED, own, stores);
    }

    private static RegionScope of(Kind kind, @Nullable String own, Map<String, String> others) {
        return new RegionScope(kind, new TreeMap<>(), own, null, new TreeMap<>(others));
    }

    public boolean isGlobal() {
        return kind == Kind.GLOBAL;
    }

    public boolean isShared() {
        return kind == Kind.SHARED;
    }

    /** This scope of a rule whose limit over all regions is {@code limit}. */
    public RegionScope of(Limit limit) {
        return kind == Kind.SLICES ? new RegionScope(kind, slices, own, limit, others) : this;
    }

    /** The part of {@code limit} that this process's region enforces: all of it, unless there are slices. */
    public Limit partOf(Limit limit) {
        String region = own;
        return kind != Kind.SLICES || region == null ? limit : partOf(limit, region);
    }

    /**
     * The part of {@code limit} that {@code region} enforces. Parts are rounded down, and the largest region gets the
     * rest, so that they add up to the limit.
     */
    public Limit partOf(Limit limit, String region) {
        return new Limit(
                limit.algorithm(),
                part(limit.requests(), region),
                limit.windowMicros(),
                part(limit.burst(), region),
                limit.subWindows(),
                limit.calendar(),
                part(limit.credit(), region));
    }

    private long part(long whole, String region) {
        String largest = "";
        int most = -1;
        long rest = whole;
        for (Map.Entry<String, Integer> each : slices.entrySet()) {
            rest -= millionths(whole, each.getValue());
            if (each.getValue() > most) {
                most = each.getValue();
                largest = each.getKey();
            }
        }
        return millionths(whole, slices.getOrDefault(region, 0)) + (region.equals(largest) ? rest : 0);
    }

    private static long millionths(long whole, int share) {
        return whole / WHOLE * share + whole % WHOLE * share / WHOLE;
    }
}
