package dev.weir.server.settings;

/** Where a server listens. */
public record ListenAddress(String host, int port) {

    /** As it stands in a URL. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
