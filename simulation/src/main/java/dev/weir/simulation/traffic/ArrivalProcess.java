package dev.weir.simulation.traffic;

/** The arrival process of requests. Rates are requests per second, of all callers together. */
public sealed interface ArrivalProcess {

    double NANOS = 1e9;

    double rate();

    /** Independent arrivals. */
    record Poisson(double rate) implements ArrivalProcess {}

    /**
     * Poisson at one of two rates, a factor of {@code times} apart, each for an exponential time of {@code meanNanos}.
     */
    record Mmpp(double rate, double times, long meanNanos) implements ArrivalProcess {}

    /**
     * Every caller alternates between on and off for Pareto-distributed times. It is on for a share of {@code 1 /
     * times} of the time, with {@code times} times its mean rate. With {@code shape} between 1 and 2 the traffic is
     * bursty at every scale.
     */
    record OnOff(double rate, double times, long meanOnNanos, double shape) implements ArrivalProcess {}

    /** Every caller sends all its requests in the last and the first {@code widthNanos} around the edges of windows. */
    record WindowEdge(double rate, long windowNanos, long widthNanos) implements ArrivalProcess {}

    /** Arrivals at even intervals. */
    record Steady(double rate) implements ArrivalProcess {}
}
