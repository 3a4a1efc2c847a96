package dev.weir.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports that nobody listens on. */
public final class FreePorts {
    // Below the range that systems take outgoing ports from: there a port is lost while its server restarts, or a
    // client that tries it connects to itself.
    private static final int FIRST = 10_000;
    private static final int LAST = 32_000;

    private FreePorts() {}

    /** A port that was free a moment ago; who binds it must be ready to try another. */
    public static int free() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Taken: another one.
            }
        }
    }
}
