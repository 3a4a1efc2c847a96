package dev.weir.redis.testkit;

import dev.weir.testkit.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * A TCP proxy that tests make slow, silent, cut or unreachable while it runs. By default it passes everything on;
 * {@link #flow} restores that.
 */
public final class FaultProxy implements AutoCloseable {
    private final int target;
    private final int port;
    private final Set<ProxiedConnection> open = ConcurrentHashMap.newKeySet();
    private final LongAdder accepted = new LongAdder();
    final LongAdder up = new LongAdder();
    final LongAdder down = new LongAdder();

    private ServerSocket server;
    private Thread acceptor;
    private boolean silent;
    private boolean closed;
    volatile long upNanos;
    volatile long downNanos;

    private FaultProxy(int target) throws IOException {
        this.target = target;
        ServerSocket socket = listen(0);
        server = socket;
        port = socket.getLocalPort();
        acceptor = start("proxy", () -> accept(socket));
    }

    /** A proxy on a port of its own before the given one of the loopback address. */
    public static FaultProxy before(int target) {
        try {
            return new FaultProxy(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerSocket listen(int wanted) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        int bound = wanted == 0 ? FreePorts.free() : wanted;
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), bound), 256);
        return socket;
    }

    private void accept(ServerSocket from) {
        while (true) {
            try {
                Socket client = from.accept();
                accepted.increment();
                ProxiedConnection connection = new ProxiedConnection(this, client, target, accepted.sum());
                open.add(connection);
                connection.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public int port() {
        return port;
    }

    /** Returns its address as a standalone Redis. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Delays every byte by this much on its way there, and by this much on its way back. */
    public void latency(Duration there, Duration back) {
        upNanos = there.toNanos();
        downNanos = back.toNanos();
    }

    /** Accepts connections but passes nothing on; held data flows when it {@linkplain #flow flows} again. */
    public synchronized void blackHole() {
        silent = true;
    }

    /** Passes nothing on any more for the connection that is open longest, as a NAT that forgot it. */
    public void forgetOldest() {
        open.stream()
                .min(Comparator.comparingLong(connection -> connection.number))
                .orElseThrow()
                .forget();
    }

    /** Resets all connections. */
    public void cut() {
        open.forEach(ProxiedConnection::reset);
    }

    /** Resets all connections and refuses new ones. */
    public synchronized void refuse() {
        close(server);
        // A thread that still accepts keeps the port open.
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cut();
    }

    /** Ends each connection after this many more bytes of replies. */
    public void truncateReplies(int bytes) {
        open.forEach(connection -> connection.truncateAfter(bytes));
    }

    /** Passes everything on, at once, from now on. */
    public synchronized void flow() {
        silent = false;
        upNanos = 0;
        downNanos = 0;
        notifyAll();
        if (server.isClosed() && !closed) {
            try {
                ServerSocket socket = listen(port);
                server = socket;
                acceptor = start("proxy", () -> accept(socket));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    synchronized void awaitFlow() throws InterruptedException {
        while (silent && !closed) {
            wait();
        }
    }

    void gone(ProxiedConnection connection) {
        open.remove(connection);
    }

    /** Returns the number of open connections. */
    public int connections() {
        return open.size();
    }

    /** Returns the number of connections ever accepted. */
    public long accepted() {
        return accepted.sum();
    }

    /** Bytes that reached the target. */
    public long bytesUp() {
        return up.sum();
    }

    /** Bytes of replies that reached clients. */
    public long bytesDown() {
        return down.sum();
    }

    @Override
    public synchronized void close() {
        closed = true;
        close(server);
        cut();
        notifyAll();
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed is closed.
        }
    }
}
