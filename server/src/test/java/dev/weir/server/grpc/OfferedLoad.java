package dev.weir.server.grpc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests at a given rate through each of some Envoys, and which of them passed when. The rate is kept by the clock: after
 * a stall of this process the requests that are due follow at once.
 */
final class OfferedLoad implements AutoCloseable {
    private static final long BIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    static final int BINS_PER_SECOND = 10;

    private final List<RunningEnvoy> envoys;
    private final long began = System.nanoTime();
    private final List<long[]> bins = new ArrayList<>();
    private final Thread thread;
    private volatile int[] perSecond;
    private volatile boolean closed;

    OfferedLoad(List<RunningEnvoy> envoys, int... perSecond) {
        this.envoys = envoys;
        this.perSecond = perSecond;
        thread = new Thread(this::run, "offered-load");
        thread.setDaemon(true);
        thread.start();
    }

    /** Offers at these rates from now on. */
    void offer(int... rates) {
        perSecond = rates;
    }

    private void run() {
        double[] due = new double[envoys.size()];
        long last = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            long now = System.nanoTime();
            int[] rates = perSecond;
            for (int i = 0; i < due.length; i++) {
                due[i] += rates[i] * (now - last) / 1e9;
                for (; due[i] >= 1; due[i]--) {
                    ask(i);
                }
            }
            last = now;
        }
    }

    private void ask(int envoy) {
        var unused = envoys.get(envoy).get("/", "x-user", "ann").thenAccept(status -> {
            if (status == 200) {
                passed(envoy);
            }
        });
    }

    private synchronized void passed(int envoy) {
        int bin = bin();
        while (bins.size() <= bin) {
            bins.add(new long[envoys.size()]);
        }
        bins.get(bin)[envoy]++;
    }

    /** The tenth of a second that it is now, counted from the start. */
    int bin() {
        return (int) ((System.nanoTime() - began) / BIN_NANOS);
    }

    /** The requests that passed the Envoy in the bins from {@code from} and before {@code to}; all Envoys if it is -1. */
    synchronized long passed(int envoy, int from, int to) {
        long sum = 0;
        for (int i = Math.max(0, from); i < Math.min(to, bins.size()); i++) {
            for (int j = 0; j < envoys.size(); j++) {
                sum += envoy < 0 || envoy == j ? bins.get(i)[j] : 0;
            }
        }
        return sum;
    }

    /** The most requests that passed in any {@code seconds}. */
    long most(int seconds) {
        long most = 0;
        for (int i = 0, end = bin(); i < end; i++) {
            most = Math.max(most, passed(-1, i, i + seconds * BINS_PER_SECOND));
        }
        return most;
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
