package dev.weir.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * How long the server takes for an answer at full speed, at half of it, and below, on the embedded store. Generator and server share
 * the machine's cores.
 *
 * <pre>{@code
 * MAIN=AnswerTimes benchmarks/run [--rates 20000,50000,100000] [--rounds 3] [--seconds 4] [--warm-up 15] [--awake yes]
 * }</pre>
 */
public final class AnswerTimes {
    private AnswerTimes() {}

    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        if (!H2load.found()) {
            return;
        }
        try (ServerProcess weir = ServerProcess.start("weir");
                H2load load = new H2load();
                AwakeCores cores = AwakeCores.of(options)) {
            int seconds = options.number("--seconds", 4);
            load.load(weir.port(), 0, options.number("--warm-up", 15));
            System.out.printf("%s%n%16s %12s %8s %8s %8s%n", cores, "asked", "answers/s", "p50 us", "p99", "p99.9");
            for (int round = 0; round < options.number("--rounds", 3); round++) {
                Histogram full = load.load(weir.port(), 0, seconds);
                print("full speed", full, seconds);
                int half = (int) (full.getTotalCount() / seconds / 2);
                print("half of it", load.load(weir.port(), half, seconds), seconds);
                for (int rate : rates(options)) {
                    print(rate + "/s", load.load(weir.port(), rate, seconds), seconds);
                }
            }
        }
    }

    private static int[] rates(Options options) {
        return Stream.of(options.text("--rates", "20000,50000,100000").split(",", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private static void print(String asked, Histogram micros, int seconds) {
        System.out.printf(
                Locale.ROOT,
                "%16s %12d %8d %8d %8d%n",
                asked,
                micros.getTotalCount() / seconds,
                micros.getValueAtPercentile(50),
                micros.getValueAtPercentile(99),
                micros.getValueAtPercentile(99.9));
    }
}
