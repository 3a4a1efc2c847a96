package dev.weir.remote.internal;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the servers are.
 *
 * @param hosts hosts with ports, not resolved
 * @param tls whether to speak TLS
 */
public record ServerAddress(List<InetSocketAddress> hosts, boolean tls) {
    private static final int DEFAULT_PORT = 8081;
    private static final String EXPECTED =
            " (expected: grpc://host:port, grpc://host1:port,host2:port, or grpcs:// for TLS)";

    public ServerAddress {
        hosts = List.copyOf(hosts);
    }

    /**
     * Reads {@code uri}.
     *
     * @throws IllegalArgumentException if it is not one of a server
     */
    public static ServerAddress of(String uri) {
        boolean tls = uri.startsWith("grpcs://");
        if (!tls && !uri.startsWith("grpc://")) {
            throw wrong(uri);
        }
        List<InetSocketAddress> hosts = new ArrayList<>();
        for (String each : uri.substring(uri.indexOf("://") + 3).split(",", -1)) {
            hosts.add(host(uri, each.strip()));
        }
        return new ServerAddress(hosts, tls);
    }

    private static InetSocketAddress host(String uri, String text) {
        try {
            URI one = new URI("grpc://" + text);
            boolean plain = one.getRawUserInfo() == null
                    && one.getRawPath().replace("/", "").isEmpty()
                    && one.getRawQuery() == null
                    && one.getRawFragment() == null;
            if (one.getHost() == null || !plain || one.getPort() == 0 || one.getPort() > 65_535) {
                throw wrong(uri);
            }
            return InetSocketAddress.createUnresolved(one.getHost(), one.getPort() < 0 ? DEFAULT_PORT : one.getPort());
        } catch (URISyntaxException e) {
            throw wrong(uri);
        }
    }

    /** Throws unless the scheme is {@code grpcs}, for options that only have a meaning with TLS. */
    public void requireTls(String option) {
        if (!tls) {
            throw new IllegalArgumentException(option + ": not for " + this + " (expected: a grpcs:// address)");
        }
    }

    private static IllegalArgumentException wrong(String uri) {
        return new IllegalArgumentException("uri: " + uri + EXPECTED);
    }

    /** The address as it is written. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(tls ? "grpcs://" : "grpc://");
        for (int i = 0; i < hosts.size(); i++) {
            InetSocketAddress each = hosts.get(i);
            text.append(i == 0 ? "" : ",").append(each.getHostString());
            text.append(':').append(each.getPort());
        }
        return text.toString();
    }
}
