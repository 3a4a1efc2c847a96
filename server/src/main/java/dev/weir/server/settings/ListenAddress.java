package dev.weir.server.settings;

/** The address of a listening port. */
public record ListenAddress(String host, int port) {

    /** The address as in a URL. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
