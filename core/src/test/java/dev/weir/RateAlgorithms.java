package dev.weir;

import java.util.List;
import java.util.stream.Stream;

/** The algorithms of rates: all but {@code concurrency}, whose hits do not come back by themselves. */
public final class RateAlgorithms {
    public static final List<Algorithm> ALL = Stream.of(Algorithm.values())
            .filter(each -> each != Algorithm.CONCURRENCY)
            .toList();

    private RateAlgorithms() {}
}
