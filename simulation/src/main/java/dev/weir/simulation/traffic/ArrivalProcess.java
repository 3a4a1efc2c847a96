package dev.weir.simulation.traffic;

/** When requests come. Rates are requests a second, of all callers together. */
public sealed interface ArrivalProcess {

    double NANOS = 1e9;

    double rate();

    /** Independent of each other. */
    record Poisson(double rate) implements ArrivalProcess {}

    /** Poisson at one of two rates, {@code times} apart, each for an exponential time of {@code meanNanos}. */
    record Mmpp(double rate, double times, long meanNanos) implements ArrivalProcess {}

    /**
     * Every caller is on and off in turn for Pareto-distributed times, on a share of {@code 1 / times} of the time and then so many
     * times its mean rate. With {@code shape} between 1 and 2 the traffic is bursty at every scale.
     */
    record OnOff(double rate, double times, long meanOnNanos, double shape) implements ArrivalProcess {}

    /** Every caller sends what it has in the last and the first {@code widthNanos} around the edges of windows. */
    record WindowEdge(double rate, long windowNanos, long widthNanos) implements ArrivalProcess {}

    /** One after the other at even distances. */
    record Steady(double rate) implements ArrivalProcess {}
}
