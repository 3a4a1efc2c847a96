package dev.weir.server.tls;

/** Renegotiation of TLS 1.2: a client may start another handshake at any time, and each costs the server a signature. */
public final class Renegotiation {
    private static final String REJECT = "jdk.tls.rejectClientInitiatedRenegotiation";

    private Renegotiation() {}

    /** Refuses it in this process unless the property is set; to be called before the JDK's TLS is loaded. */
    public static void refuse() {
        if (System.getProperty(REJECT) == null) {
            System.setProperty(REJECT, "true");
        }
    }
}
