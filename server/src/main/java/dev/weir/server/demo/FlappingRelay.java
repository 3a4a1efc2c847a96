package dev.weir.server.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A relay on loopback before a Redis, which cuts all connections from time to time and refuses new ones for a while. The
 * Redis itself notices only that clients come and go.
 */
public final class FlappingRelay implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FlappingRelay.class.getName());
    private static final Duration UP = Duration.ofSeconds(30);
    private static final Duration DOWN = Duration.ofSeconds(12);
    private static final int BUFFER = 16_384;

    private final InetSocketAddress redis;
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(FlappingRelay::daemon);
    private volatile boolean isDown;

    private FlappingRelay(InetSocketAddress redis) throws IOException {
        this.redis = redis;
        this.server = new ServerSocket();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Starts a relay before the Redis at {@code host} and {@code port}. */
    public static FlappingRelay before(String host, int port) throws IOException {
        return before(host, port, UP, DOWN);
    }

    static FlappingRelay before(String host, int port, Duration up, Duration down) throws IOException {
        FlappingRelay relay = new FlappingRelay(new InetSocketAddress(host, port));
        daemon(relay::accept).start();
        long period = up.plus(down).toMillis();
        var unusedCut = relay.timer.scheduleAtFixedRate(relay::cut, up.toMillis(), period, TimeUnit.MILLISECONDS);
        var unusedRestore = relay.timer.scheduleAtFixedRate(relay::restore, period, period, TimeUnit.MILLISECONDS);
        return relay;
    }

    /** Returns the address of the relay. */
    public String uri() {
        return "redis://127.0.0.1:" + server.getLocalPort();
    }

    private void cut() {
        LOG.log(Level.INFO, "demo: Redis becomes unreachable for " + DOWN.toSeconds() + " s");
        isDown = true;
        open.forEach(FlappingRelay::close);
    }

    private void restore() {
        LOG.log(Level.INFO, "demo: Redis is reachable again");
        isDown = false;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                if (isDown) {
                    client.close();
                } else {
                    daemon(() -> connect(client)).start();
                }
            } catch (IOException e) {
                if (!server.isClosed()) {
                    LOG.log(Level.WARNING, "demo: the relay cannot accept connections: " + e);
                    return;
                }
            }
        }
    }

    private void connect(Socket client) {
        Socket there = new Socket();
        open.add(client);
        open.add(there);
        try {
            there.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            there.connect(redis);
            Thread back = daemon(() -> pump(there, client));
            back.start();
            pump(client, there);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "demo: Redis at " + redis + " cannot be reached: " + e.getMessage());
        }
        close(client);
        close(there);
        open.remove(client);
        open.remove(there);
    }

    /** Copies bytes until one side ends, and then ends the other. */
    private static void pump(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // One side has ended.
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "weir-demo-relay");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        server.close();
        open.forEach(FlappingRelay::close);
    }
}
