package dev.weir.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.Principal;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** A call as a server receives it: its method, its metadata and its caller. */
public final class GrpcCall {
    private final MethodDescriptor<?, ?> method;
    private final Metadata headers;
    private final Attributes transport;

    GrpcCall(MethodDescriptor<?, ?> method, Metadata headers, Attributes transport) {
        this.method = method;
        this.headers = headers;
        this.transport = transport;
    }

    /** The method, {@code package.Service/Method}. */
    public String method() {
        return method.getFullMethodName();
    }

    /** The value of an ASCII header of the call's metadata; null if it has none. */
    public @Nullable String header(String name) {
        return headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }

    /** The address of the peer; null if the transport has none. */
    public @Nullable String peer() {
        SocketAddress address = transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return address instanceof InetSocketAddress socket && socket.getAddress() != null
                ? socket.getAddress().getHostAddress()
                : null;
    }

    /** The name in the caller's certificate; null without one. */
    public @Nullable String principal() {
        SSLSession session = transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        try {
            Principal principal = session == null ? null : session.getPeerPrincipal();
            return principal == null ? null : principal.getName();
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }
}
