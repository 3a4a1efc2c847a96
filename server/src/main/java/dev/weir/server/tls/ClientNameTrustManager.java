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
    /** Types of names in RFC 5280, 4.2.1.6. */
    private static final int DNS = 2;

    private static final int URI = 6;
    private static final int ADDRESS = 7;

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
     * A name is compared with DNS names and addresses only, and a name with a scheme ({@code spiffe://…}) with URIs only:
     * a CA may let callers choose names of other types.
     */
    private void checkName(X509Certificate caller) throws CertificateException {
        Collection<List<?>> alternatives = caller.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> each : alternatives) {
                if (each.get(0) instanceof Integer kind
                        && each.get(1) instanceof String name
                        && names.stream().anyMatch(wanted -> matches(wanted, kind, name))) {
                    return;
                }
            }
        }
        throw new CertificateException("the client certificate is issued for none of " + names);
    }

    private static boolean matches(String wanted, int kind, String name) {
        return wanted.contains("://")
                ? kind == URI && wanted.equals(name)
                : (kind == DNS || kind == ADDRESS) && wanted.equalsIgnoreCase(name);
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
