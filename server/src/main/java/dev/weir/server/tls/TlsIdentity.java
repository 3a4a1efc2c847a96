package dev.weir.server.tls;

import dev.weir.internal.tls.Pem;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** The TLS certificate and key of a port, and the certificates that it accepts from callers, as read from its files. */
public final class TlsIdentity {
    private static final char[] NO_PASSWORD = new char[0];

    private final X509Certificate certificate;
    private final KeyManagerFactory keys;
    private final @Nullable TrustManager callers;

    private TlsIdentity(X509Certificate certificate, KeyManagerFactory keys, @Nullable TrustManager callers) {
        this.certificate = certificate;
        this.keys = keys;
        this.callers = callers;
    }

    /**
     * Reads the files.
     *
     * @throws IOException naming the file and the error in it
     */
    public static TlsIdentity read(Settings.Tls files) throws IOException {
        X509Certificate[] chain = Pem.certificates(files.certificate());
        PrivateKey key = Pem.key(files.key(), chain[0], files.certificate());
        X509Certificate[] authorities =
                files.clientAuthorities() == null ? null : Pem.certificates(files.clientAuthorities());
        try {
            TrustManager callers = authorities == null ? null : trusting(authorities, files);
            return new TlsIdentity(chain[0], keys(chain, key), callers);
        } catch (GeneralSecurityException e) {
            throw new IOException(files.certificate() + " cannot be used: " + e.getMessage(), e);
        }
    }

    static KeyManagerFactory keys(X509Certificate[] chain, PrivateKey key)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        store.setKeyEntry("it", key, NO_PASSWORD, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return keys;
    }

    private static TrustManager trusting(X509Certificate[] authorities, Settings.Tls files)
            throws GeneralSecurityException, IOException {
        KeyStore store = store(authorities);
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        X509ExtendedTrustManager signed = Arrays.stream(factory.getTrustManagers())
                .filter(X509ExtendedTrustManager.class::isInstance)
                .map(X509ExtendedTrustManager.class::cast)
                .findFirst()
                .orElseThrow(() -> new GeneralSecurityException("the JDK has no X.509 trust manager"));
        return files.clientNames().isEmpty() ? signed : new ClientNameTrustManager(signed, files.clientNames());
    }

    /** A key store with trusted certificates. */
    static KeyStore store(X509Certificate[] authorities) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        for (int i = 0; i < authorities.length; i++) {
            store.setCertificateEntry("authority" + i, authorities[i]);
        }
        return store;
    }

    /** The certificate with its key. */
    public KeyManagerFactory keys() {
        return keys;
    }

    /** Checks callers' certificates; null if callers need none. */
    public @Nullable TrustManager callers() {
        return callers;
    }

    /** When the certificate expires. */
    public Instant notAfter() {
        return certificate.getNotAfter().toInstant();
    }

    /** The subject and the expiry, for people. */
    @Override
    public String toString() {
        return certificate.getSubjectX500Principal().getName() + ", valid until " + notAfter();
    }
}
