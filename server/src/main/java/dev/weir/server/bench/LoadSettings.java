package dev.weir.server.bench;

/**
 * How much load, of what kind.
 *
 * @param rate requests a second over all connections; 0: as many as the service answers
 * @param inFlight how many requests of a connection may be unanswered, if there is no rate
 * @param keys how many keys
 * @param zipf the exponent of Zipf's law by which keys are drawn; 0: all alike
 */
public record LoadSettings(
        LoadTarget target,
        LoadRequest request,
        double rate,
        int connections,
        int inFlight,
        int keys,
        double zipf,
        int threads) {}
