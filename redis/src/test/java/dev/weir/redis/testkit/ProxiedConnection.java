package dev.weir.redis.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One connection through a {@link FaultProxy}: for each way a thread that reads, and one that writes when it is time. */
final class ProxiedConnection {
    private static final class Chunk {
        final byte[] bytes;
        final long dueNanos;

        Chunk(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    private static final Chunk END = new Chunk(new byte[0], 0);

    final long number;
    private final FaultProxy proxy;
    private final Socket client;
    private final int target;
    private final AtomicInteger repliesLeft = new AtomicInteger(-1);
    private @Nullable Socket server;
    private boolean over;
    private volatile boolean forgotten;

    ProxiedConnection(FaultProxy proxy, Socket client, int target, long number) {
        this.number = number;
        this.proxy = proxy;
        this.client = client;
        this.target = target;
    }

    void start() {
        FaultProxy.start("proxied", () -> {
            try {
                proxy.awaitFlow();
                Socket connected = new Socket(InetAddress.getLoopbackAddress(), target);
                connected.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                synchronized (this) {
                    server = connected;
                    if (over) {
                        close(connected);
                        return;
                    }
                }
                pump(client, connected, () -> proxy.upNanos, proxy.up, new AtomicInteger(-1));
                pump(connected, client, () -> proxy.downNanos, proxy.down, repliesLeft);
            } catch (IOException e) {
                reset();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    void forget() {
        forgotten = true;
    }

    void truncateAfter(int bytes) {
        repliesLeft.set(bytes);
    }

    private void pump(Socket from, Socket to, LongSupplier latency, LongAdder count, AtomicInteger left) {
        BlockingQueue<Chunk> way = new ArrayBlockingQueue<>(65_536);
        FaultProxy.start("proxied in", () -> read(from, way, latency));
        FaultProxy.start("proxied out", () -> write(way, to, count, left));
    }

    private void read(Socket from, BlockingQueue<Chunk> way, LongSupplier latency) {
        byte[] buffer = new byte[65_536];
        try {
            InputStream in = from.getInputStream();
            while (true) {
                int length = in.read(buffer);
                if (length < 0) {
                    way.put(END);
                    return;
                }
                way.put(new Chunk(Arrays.copyOf(buffer, length), System.nanoTime() + latency.getAsLong()));
            }
        } catch (IOException e) {
            reset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            way.offer(END);
        }
    }

    private void write(BlockingQueue<Chunk> way, Socket to, LongAdder count, AtomicInteger left) {
        try {
            OutputStream out = to.getOutputStream();
            while (true) {
                Chunk chunk = way.take();
                proxy.awaitFlow();
                if (chunk == END) {
                    end();
                    return;
                }
                for (long wait = chunk.dueNanos - System.nanoTime(); wait > 0; ) {
                    LockSupport.parkNanos(wait);
                    wait = chunk.dueNanos - System.nanoTime();
                }
                if (forgotten) {
                    continue;
                }
                int length = chunk.bytes.length;
                int room = left.get();
                if (room >= 0 && room <= length) {
                    out.write(chunk.bytes, 0, room);
                    end();
                    return;
                }
                left.compareAndSet(room, room < 0 ? room : room - length);
                count.add(length);
                out.write(chunk.bytes);
            }
        } catch (IOException e) {
            reset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes both sides in good order. */
    private synchronized void end() {
        over = true;
        close(client);
        if (server != null) {
            close(server);
        }
        proxy.gone(this);
    }

    /** Resets both sides. */
    synchronized void reset() {
        try {
            client.setSoLinger(true, 0);
            if (server != null) {
                server.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // Closed already.
        }
        end();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed is closed.
        }
    }
}
