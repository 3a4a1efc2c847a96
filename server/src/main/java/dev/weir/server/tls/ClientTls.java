package dev.weir.server.tls;

import dev.weir.internal.tls.Pem;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Sets up TLS for commands that call a server. */
public final class ClientTls {
    private ClientTls() {}

    /**
     * Creates the TLS context of a client.
     *
     * @param authorities must have signed the server's certificate; null for those of the JVM
     * @param certificate the client certificate to send, with its {@code key}; null for none
     * @throws IOException naming the file and the error in it
     */
    public static SSLContext of(@Nullable Path authorities, @Nullable Path certificate, @Nullable Path key)
            throws IOException {
        try {
            KeyManager[] shown = null;
            if (certificate != null && key != null) {
                X509Certificate[] chain = Pem.certificates(certificate);
                shown = TlsIdentity.keys(chain, Pem.key(key, chain[0], certificate))
                        .getKeyManagers();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown, authorities == null ? null : trusted(authorities), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static TrustManager[] trusted(Path authorities) throws GeneralSecurityException, IOException {
        KeyStore store = TlsIdentity.store(Pem.certificates(authorities));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }
}
