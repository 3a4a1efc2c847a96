package dev.weir.server.conformance;

/** A server that is up, known by its ports. */
interface RunningServer extends AutoCloseable {

    int httpPort();

    int grpcPort();

    @Override
    void close();
}
