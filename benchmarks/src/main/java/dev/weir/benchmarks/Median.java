package dev.weir.benchmarks;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** The median over several rounds; one disturbed round does not move it. */
public final class Median {
    private Median() {}

    public static <T> double of(List<T> rounds, ToDoubleFunction<T> what) {
        return of(rounds.stream().mapToDouble(what));
    }

    /**
     * The median of the ratios of one side's rounds to the other's, pairwise: both rounds of a pair had the same load
     * beside them.
     */
    public static <T> double ofRatios(List<T> rounds, List<T> others, ToDoubleFunction<T> what) {
        return of(IntStream.range(0, Math.min(rounds.size(), others.size()))
                .mapToDouble(i -> what.applyAsDouble(rounds.get(i)) / what.applyAsDouble(others.get(i))));
    }

    private static double of(DoubleStream of) {
        double[] values = of.sorted().toArray();
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
