package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.Median;
import dev.weir.benchmarks.redis.RedisRounds.Round;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints the medians of each side's rounds, and of the ratios of the first side's rounds to those of the others. */
final class RedisResultTable {
    private RedisResultTable() {}

    static void print(Map<RedisSide, List<Round>> measured) {
        System.out.printf(
                "%-20s %12s %8s %8s %10s %10s %10s %10s %10s %8s%n",
                "", "", "p50", "p99", "commands", "scripts", "Redis CPU", "us per", "our CPU", "the first");
        System.out.printf(
                "%-20s %12s %8s %8s %10s %10s %10s %10s %10s %8s%n",
                "", "decisions/s", "ms", "ms", "/decision", "/decision", "us/dec.", "script", "us/dec.", "is times");
        List<Round> first = measured.values().iterator().next();
        measured.forEach((side, rounds) -> System.out.printf(
                Locale.ROOT,
                "%-20s %12.0f %8.2f %8.2f %10.4f %10.4f %10.2f %10.1f %10.2f %8.2f%s%n",
                side.name(),
                Median.of(rounds, Round::perSecond),
                Median.of(rounds, Round::p50Millis),
                Median.of(rounds, Round::p99Millis),
                Median.of(rounds, round -> round.costs().commands()),
                Median.of(rounds, round -> round.costs().scripts()),
                Median.of(rounds, round -> round.costs().redisMicros()),
                Median.of(rounds, round -> round.costs().scriptMicros()),
                Median.of(rounds, round -> round.costs().jvmMicros()),
                Median.ofRatios(first, rounds, Round::perSecond),
                amiss(rounds)));
    }

    private static String amiss(List<Round> rounds) {
        long denied = rounds.stream().mapToLong(Round::denied).sum();
        long failed = rounds.stream().mapToLong(Round::failed).sum();
        return denied + failed == 0 ? "" : "   DENIED " + denied + ", FAILED " + failed;
    }
}
