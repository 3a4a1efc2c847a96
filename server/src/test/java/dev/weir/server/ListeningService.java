package dev.weir.server;

/** A rate limit service that is up on this machine, known by its ports. */
public interface ListeningService extends AutoCloseable {

    int httpPort();

    int grpcPort();

    @Override
    void close();
}
