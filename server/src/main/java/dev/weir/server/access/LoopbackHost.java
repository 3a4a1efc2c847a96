package dev.weir.server.access;

import io.netty.util.NetUtil;
import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recognizes names and addresses that mean this machine only. */
public final class LoopbackHost {
    private LoopbackHost() {}

    /** Whether the {@code Host} of a request is a loopback name, which no DNS server can redirect. */
    public static boolean isNamedBy(@Nullable HostAndPort authority) {
        if (authority == null) {
            return false;
        }
        String host = authority.host().toLowerCase(Locale.ROOT);
        return host.equals("localhost") || isLoopbackLiteral(host);
    }

    /** Whether {@code address}, in digits, is a loopback address. */
    static boolean isAddress(String address) {
        return isLoopbackLiteral(address);
    }

    private static boolean isLoopbackLiteral(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        byte[] address = NetUtil.createByteArrayFromIpAddressString(bare);
        try {
            return address != null && InetAddress.getByAddress(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Whether {@code host} binds to a loopback address only. */
    public static boolean isBoundBy(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
