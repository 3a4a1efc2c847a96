package dev.weir.server.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Connections of hostile peers from several loopback addresses; what cannot be sent at once is given up. */
@SuppressWarnings("AddressSelection") // addresses, not names
final class HostileSockets implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long PAUSE_NANOS = 500_000;

    private final List<SocketChannel> open = new ArrayList<>();
    private final Set<SocketChannel> heard = new HashSet<>();
    private int occurred;

    /** Opens {@code count} connections to {@code port} from {@code addresses} addresses in turn; refused ones are left out. */
    static HostileSockets to(int port, int count, int addresses) {
        HostileSockets sockets = new HostileSockets();
        long end = System.nanoTime() + PATIENCE_NANOS;
        for (int i = 0; i < count && System.nanoTime() < end; i++) {
            SocketChannel channel = connect(port, "127.0.0." + (2 + i % addresses));
            if (channel != null) {
                sockets.open.add(channel);
            }
        }
        return sockets;
    }

    private static @Nullable SocketChannel connect(int port, String from) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.bind(new InetSocketAddress(from, 0));
            channel.socket().connect(new InetSocketAddress("127.0.0.1", port), 2_000);
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            close(channel);
            return null;
        }
    }

    /**
     * The same over TLS: each finishes its handshake, sends {@code first}, and is silent from then on. Handshakes are made
     * until {@code within} has passed, and refused ones are left out.
     */
    static HostileSockets overTls(
            int port, int count, int addresses, SSLContext context, byte[] first, Duration within) {
        HostileSockets sockets = new HostileSockets();
        long end = System.nanoTime() + within.toNanos();
        IntStream.range(0, count).parallel().forEach(i -> {
            SocketChannel channel =
                    System.nanoTime() < end ? handshaken(port, "127.0.0." + (2 + i % addresses), context, first) : null;
            if (channel != null) {
                synchronized (sockets) {
                    sockets.open.add(channel);
                }
            }
        });
        return sockets;
    }

    private static @Nullable SocketChannel handshaken(int port, String from, SSLContext context, byte[] first) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.bind(new InetSocketAddress(from, 0));
            channel.socket().connect(new InetSocketAddress("127.0.0.1", port), 2_000);
            channel.socket().setSoTimeout(10_000);
            // Not closed: only the plain socket below it stays, so that thousands of them fit into the attacker's heap.
            SSLSocket tls =
                    (SSLSocket) context.getSocketFactory().createSocket(channel.socket(), "localhost", port, false);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            tls.setSSLParameters(parameters);
            tls.startHandshake();
            tls.getOutputStream().write(first);
            tls.getOutputStream().flush();
            return channel;
        } catch (IOException e) {
            close(channel);
            return null;
        }
    }

    int size() {
        return open.size();
    }

    /** Sends these bytes on every connection, as far as the server takes them within a few seconds; returns bytes sent. */
    long send(byte[] bytes) {
        ByteBuffer[] left = new ByteBuffer[open.size()];
        for (int i = 0; i < left.length; i++) {
            left[i] = ByteBuffer.wrap(bytes);
        }
        long end = System.nanoTime() + PATIENCE_NANOS;
        long sent = 0;
        int unfinished = left.length;
        while (unfinished > 0 && System.nanoTime() < end) {
            unfinished = 0;
            for (int i = 0; i < left.length; i++) {
                if (left[i].hasRemaining()) {
                    sent += write(i, left[i]);
                    unfinished += left[i].hasRemaining() ? 1 : 0;
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS); // leaves the processor to the server
        }
        return sent;
    }

    private int write(int i, ByteBuffer bytes) {
        try {
            return open.get(i).write(bytes);
        } catch (IOException e) {
            bytes.position(bytes.limit()); // the server has closed it
            return 0;
        }
    }

    /** How many of them the server has closed; what it sent before that is read. */
    int closed() {
        int closed = 0;
        ByteBuffer into = ByteBuffer.allocate(64 << 10);
        for (SocketChannel each : open) {
            try {
                int read;
                do {
                    into.clear();
                    read = each.read(into);
                } while (read > 0);
                closed += read < 0 ? 1 : 0;
            } catch (IOException e) {
                closed++;
            }
        }
        return closed;
    }

    /** Reads what the server has sent since the last call; returns how often {@code text} occurred so far. */
    int received(String text) {
        ByteBuffer into = ByteBuffer.allocate(64 << 10);
        for (SocketChannel each : open) {
            try {
                for (int read = each.read(into); read > 0; read = each.read(into)) {
                    String all = US_ASCII.decode(into.flip()).toString();
                    for (int at = all.indexOf(text); at >= 0; at = all.indexOf(text, at + 1)) {
                        occurred++;
                    }
                    into.clear();
                }
            } catch (IOException e) {
                into.clear(); // the server has closed it
            }
        }
        return occurred;
    }

    /** Whether every connection has received something, or was closed by the server; what came is read. */
    boolean haveAllReceived() {
        ByteBuffer into = ByteBuffer.allocate(64 << 10);
        for (SocketChannel each : open) {
            try {
                if (!heard.contains(each) && each.read(into.clear()) == 0) {
                    return false;
                }
            } catch (IOException e) {
                // closed
            }
            heard.add(each);
        }
        return true;
    }

    private static void close(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        open.forEach(HostileSockets::close);
    }
}
