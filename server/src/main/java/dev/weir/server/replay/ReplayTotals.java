package dev.weir.server.replay;

import dev.weir.server.replay.input.TrafficLine;

/** Counts the requests of a replay and their decisions; a sampled request counts for those that it stands for. */
public final class ReplayTotals {
    long lines;
    long requests;
    long banned;
    long degraded;
    long ownLimits;
    long namedRules;
    long tooCostly;
    long recorded;
    long recordedDenied;
    long asRecorded;
    long before;
    long now;
    long more;
    long fewer;
    long firstMicros = Long.MAX_VALUE;
    long lastMicros = Long.MIN_VALUE;
    int sample = 1;
    boolean wholeSeconds;
    boolean stopped;

    void add(TrafficLine line) {
        int weight = line.sample();
        lines++;
        requests += weight;
        sample = Math.max(sample, weight);
        firstMicros = Math.min(firstMicros, line.micros());
        lastMicros = Math.max(lastMicros, line.micros());
        wholeSeconds |= line.isWholeSeconds();
        banned += line.isBanned() ? weight : 0;
        degraded += line.isDegraded() ? weight : 0;
        ownLimits += line.hasOwnLimit() ? weight : 0;
        namedRules += line.namesRules() ? weight : 0;
    }

    void decided(TrafficLine line, boolean wasDenied, boolean isDenied) {
        int weight = line.sample();
        Boolean passed = line.passed();
        if (passed != null) {
            recorded += weight;
            recordedDenied += passed ? 0 : weight;
            asRecorded += passed != isDenied ? weight : 0;
        }
        before += wasDenied ? weight : 0;
        now += isDenied ? weight : 0;
        more += isDenied && !wasDenied ? weight : 0;
        fewer += wasDenied && !isDenied ? weight : 0;
    }

    /** The lines that were read as requests. */
    public long lines() {
        return lines;
    }

    public long requests() {
        return requests;
    }

    /** The requests that a ban or an exemption decided; they are not decided again. */
    public long banned() {
        return banned;
    }

    /** The requests whose recorded decision is known. */
    public long recorded() {
        return recorded;
    }

    /** Of those, the denied ones. */
    public long recordedDenied() {
        return recordedDenied;
    }

    /** Of those, the requests that the rules decide as recorded. */
    public long asRecorded() {
        return asRecorded;
    }

    /** The requests that were denied before: by the other rules, or as recorded. */
    public long before() {
        return before;
    }

    /** The requests that the rules deny. */
    public long now() {
        return now;
    }

    /** The requests that only the rules deny. */
    public long more() {
        return more;
    }

    /** The requests that were denied only before. */
    public long fewer() {
        return fewer;
    }

    /** The time of the first request, microseconds since the epoch. */
    public long firstMicros() {
        return firstMicros;
    }

    public long lastMicros() {
        return lastMicros;
    }

    /** One caller in so many was recorded; 1 if all were. */
    public int sample() {
        return sample;
    }
}
