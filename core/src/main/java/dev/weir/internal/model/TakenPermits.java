package dev.weir.internal.model;

import java.util.List;

/**
 * The permits of a decision under concurrency limits.
 *
 * @param held the permits that were taken
 * @param unenforced the labels of concurrency rules that matched and were left out, because the caller cannot release
 * @param taken how many permits the caller has to give back without naming them; 0 if denied or decided without a store
 */
public record TakenPermits(List<HeldPermit> held, List<String> unenforced, long taken) {
    /** No concurrency limit applied, although there are some. */
    public static final TakenPermits NONE = new TakenPermits(List.of(), List.of(), 0);

    /** How long the first of the permits lasts, unless it is released or renewed; 0 without permits. */
    public long ttlMicros() {
        return held.stream().mapToLong(HeldPermit::ttlMicros).min().orElse(0);
    }
}
