package dev.weir.server.listener;

import dev.weir.server.tls.TlsIdentity;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.util.Set;
import javax.net.ssl.TrustManager;

/** Converts an identity to Vert.x options: TLS 1.2 and 1.3, and ALPN for HTTP/2. */
final class HttpTls {
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

    private HttpTls() {}

    /** Returns a copy of {@code plain} that speaks TLS. */
    static HttpServerOptions over(HttpServerOptions plain, TlsIdentity identity) {
        HttpServerOptions options = new HttpServerOptions(plain)
                .setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(KeyCertOptions.wrap(identity.keys()))
                .setEnabledSecureTransportProtocols(PROTOCOLS);
        TrustManager callers = identity.callers();
        return callers == null
                ? options
                : options.setTrustOptions(TrustOptions.wrap(callers)).setClientAuth(ClientAuth.REQUIRED);
    }

    /** Returns the options that replace those of a running server. */
    static ServerSSLOptions of(TlsIdentity identity) {
        ServerSSLOptions options = new ServerSSLOptions()
                .setUseAlpn(true)
                .setKeyCertOptions(KeyCertOptions.wrap(identity.keys()))
                .setEnabledSecureTransportProtocols(PROTOCOLS);
        TrustManager callers = identity.callers();
        return callers == null
                ? options
                : options.setTrustOptions(TrustOptions.wrap(callers)).setClientAuth(ClientAuth.REQUIRED);
    }
}
