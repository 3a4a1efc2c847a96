package dev.weir.server.listener;

import dev.weir.server.tls.TlsIdentity;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;

/** Builds the TLS context of the gRPC port: TLS 1.2 and 1.3 with the JDK's provider, and ALPN {@code h2}. */
public final class GrpcTls {
    private GrpcTls() {}

    /**
     * Builds a context for {@code identity}. Every identity needs a context of its own: it caches the sessions that
     * callers resume, and a session that began with a certificate no longer trusted must not be resumed.
     */
    public static SslContext of(TlsIdentity identity) throws IOException {
        SslContextBuilder builder = SslContextBuilder.forServer(identity.keys())
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2));
        if (identity.callers() != null) {
            builder.trustManager(identity.callers()).clientAuth(ClientAuth.REQUIRE);
        }
        return builder.build();
    }
}
