package dev.weir.server.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Lets in callers whose certificate is for one of the names that it was given, beside being signed as it should be. */
final class ClientNameTrustManager extends X509ExtendedTrustManager {
    /** Kinds of names in RFC 5280, 4.2.1.6. */
    private static final int DNS = 2;

    private static final int URI = 6;
    private static final int ADDRESS = 7;

    private final X509ExtendedTrustManager signed;
    private final List<String> names;

    ClientNameTrustManager(X509ExtendedTrustManager signed, List<String> names) {
        this.signed = signed;
        this.names = names;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        signed.checkClientTrusted(chain, type, socket);
        named(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        signed.checkClientTrusted(chain, type, engine);
        named(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        signed.checkClientTrusted(chain, type);
        named(chain[0]);
    }

    /**
     * Of a subject alternative name, the first item is its kind and the second the name. A name is compared with DNS names only,
     * and one with a scheme ({@code spiffe://…}) with URIs only: an authority may let callers choose names of other kinds.
     */
    private void named(X509Certificate caller) throws CertificateException {
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
        throw new CertificateException("the caller's certificate is for none of " + names);
    }

    private static boolean matches(String wanted, int kind, String name) {
        return wanted.contains("://")
                ? kind == URI && wanted.equals(name)
                : (kind == DNS || kind == ADDRESS) && wanted.equalsIgnoreCase(name);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        signed.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        signed.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        signed.checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return signed.getAcceptedIssuers();
    }
}
