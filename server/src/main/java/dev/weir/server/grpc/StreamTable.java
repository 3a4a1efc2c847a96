package dev.weir.server.grpc;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of a connection by their ids, in an open-addressed table. Ids come in order, so their low bits alone spread
 * them without a collision.
 */
final class StreamTable {
    private static final int SMALLEST = 16;
    private static final int MOST_SPARE = 256;

    private @Nullable GrpcStream[] table = new GrpcStream[SMALLEST];
    private int size;
    private int last;
    /** The ids that the peer last passed over: they can never be opened. */
    private int skippedFrom;

    private int skippedTo;
    /** Streams that we last reset: what the peer had sent them before it knew is nobody's fault. */
    private final int[] reset = new int[64];

    private int resets;
    private final @Nullable GrpcStream[] spare = new GrpcStream[MOST_SPARE];
    private int spares;

    int size() {
        return size;
    }

    /** The highest id that the peer has used. */
    int last() {
        return last;
    }

    /** The peer used this id, whatever became of it. */
    void used(int id) {
        if (id > last) {
            if (id > last + 2) {
                skippedFrom = last + 1;
                skippedTo = id;
            }
            last = id;
        }
    }

    /** Whether {@code id} was passed over, as far as is remembered. */
    boolean skipped(int id) {
        return id >= skippedFrom && id < skippedTo;
    }

    /** We gave the stream up while the peer may still be sending. */
    void reset(int id) {
        reset[resets++ & reset.length - 1] = id;
    }

    boolean wasReset(int id) {
        for (int each : reset) {
            if (each == id) {
                return true;
            }
        }
        return false;
    }

    @Nullable
    GrpcStream get(int id) {
        int mask = table.length - 1;
        for (int i = id >>> 1 & mask; ; i = i + 1 & mask) {
            GrpcStream each = table[i];
            if (each == null || each.id == id) {
                return each;
            }
        }
    }

    /** Opens a stream of this id, which must not be open. */
    GrpcStream open(int id, int receiveWindow, long sendWindow, long nowMicros) {
        if (size * 2 >= table.length) {
            grow();
        }
        GrpcStream stream = spares == 0 ? null : spare[--spares];
        if (stream == null) {
            stream = new GrpcStream();
        }
        stream.begin(id, receiveWindow, sendWindow, nowMicros);
        put(stream);
        size++;
        return stream;
    }

    /** Takes the stream out of the table, frees what it holds, and keeps it for another call. */
    void close(GrpcStream stream) {
        remove(stream.id);
        if (stream.body != null) {
            stream.body.release();
            stream.body = null;
        }
        if (stream.unsent != null) {
            stream.unsent.release();
            stream.unsent = null;
        }
        Runnable gone = stream.onGone;
        stream.onGone = null;
        if (spares < MOST_SPARE) {
            spare[spares++] = stream;
        }
        if (gone != null) {
            gone.run();
        }
    }

    /** Visits every open stream; a visit may close the stream it is given and no other. */
    void each(Consumer<GrpcStream> visit) {
        GrpcStream[] open = new GrpcStream[size];
        int n = 0;
        for (GrpcStream stream : table) {
            if (stream != null) {
                open[n++] = stream;
            }
        }
        for (GrpcStream stream : open) {
            visit.accept(stream);
        }
    }

    private void put(GrpcStream stream) {
        int mask = table.length - 1;
        int i = stream.id >>> 1 & mask;
        while (table[i] != null) {
            i = i + 1 & mask;
        }
        table[i] = stream;
    }

    /** Closes the gap by moving back whatever had been pushed on past it. */
    private void remove(int id) {
        int mask = table.length - 1;
        int gap = id >>> 1 & mask;
        GrpcStream found = table[gap];
        while (found != null && found.id != id) {
            gap = gap + 1 & mask;
            found = table[gap];
        }
        if (found == null) {
            return;
        }
        size--;
        table[gap] = null;
        for (int i = gap + 1 & mask; ; i = i + 1 & mask) {
            GrpcStream each = table[i];
            if (each == null) {
                return;
            }
            int home = each.id >>> 1 & mask;
            if ((i - home & mask) >= (i - gap & mask)) {
                table[gap] = each;
                table[i] = null;
                gap = i;
            }
        }
    }

    private void grow() {
        GrpcStream[] before = table;
        table = new GrpcStream[before.length * 2];
        for (GrpcStream each : before) {
            if (each != null) {
                put(each);
            }
        }
    }
}
