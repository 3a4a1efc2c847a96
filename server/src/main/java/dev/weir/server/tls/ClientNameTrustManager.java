package dev.weir.server.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Accepts a caller whose certificate has a trusted signature and is issued for one of the given names. */
final class ClientNameTrustManager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager signatures;
    private final List<String> names;

    ClientNameTrustManager(X509ExtendedTrustManager signatures, List<String> names) {
        this.signatures = signatures;
        this.names = names;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        signatures.checkClientTrusted(chain, type, socket);
        checkName(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        signatures.checkClientTrusted(chain, type, engine);
        checkName(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        signatures.checkClientTrusted(chain, type);
        checkName(chain[0]);
    }

    /**
     * Checks the names. The first item of a subject alternative name is its type, the second the name if that is text.
     */
    private void checkName(X509Certificate caller) throws CertificateException {
        Collection<List<?>> alternatives = caller.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> each : alternatives) {
                if (each.get(1) instanceof String name && names.stream().anyMatch(name::equalsIgnoreCase)) {
                    return;
                }
            }
        }
        throw new CertificateException("the client certificate is issued for none of " + names);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        signatures.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        signatures.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        signatures.checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return signatures.getAcceptedIssuers();
    }
}
