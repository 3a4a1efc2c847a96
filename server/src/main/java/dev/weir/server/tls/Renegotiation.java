package dev.weir.server.tls;

/** TLS 1.2 lets a client ask for another handshake at any time, which costs the server a signature each. */
public final class Renegotiation {
    private static final String REJECT = "jdk.tls.rejectClientInitiatedRenegotiation";

    private Renegotiation() {}

    /** Refuses it in this process; to be called before the JDK's TLS is loaded. A value that somebody set stays. */
    public static void refuse() {
        if (System.getProperty(REJECT) == null) {
            System.setProperty(REJECT, "true");
        }
    }
}
