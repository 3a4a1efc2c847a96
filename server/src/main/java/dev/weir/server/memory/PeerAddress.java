package dev.weir.server.memory;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The address by which connections are counted: all of IPv4, and the first 64 bits of IPv6, which one host owns. */
public final class PeerAddress {
    private static final int PREFIX = 8;
    private static final String UNKNOWN = "unknown";

    private PeerAddress() {}

    /** The address of {@code remote}, or its prefix, as text. */
    public static String of(@Nullable SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress socket) || socket.getAddress() == null) {
            return UNKNOWN;
        }
        InetAddress address = socket.getAddress();
        return address instanceof Inet6Address six ? prefix(six) : address.getHostAddress();
    }

    private static String prefix(Inet6Address address) {
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, PREFIX, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // sixteen bytes are an address
        }
    }
}
