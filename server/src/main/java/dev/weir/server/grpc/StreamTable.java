package dev.weir.server.grpc;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of a connection by id, in an open-addressed table. Ids are consecutive, so their low bits alone
 * spread them without collisions.
 */
final class StreamTable {
    private static final int INITIAL_SIZE = 16;
    private static final int MAX_SPARE = 256;

    private @Nullable GrpcStream[] table = new GrpcStream[INITIAL_SIZE];
    private int size;
    private int last;
    /** The first of the ids that the peer last skipped: they can never be opened. */
    private int skippedFrom;

    private int skippedTo;
    /** The streams that were last reset here: the peer may have sent data before it knew. */
    private final int[] reset = new int[64];

    private int resets;
    private final @Nullable GrpcStream[] spare = new GrpcStream[MAX_SPARE];
    private int spares;

    int size() {
        return size;
    }

    /** The highest id that the peer has used. */
    int last() {
        return last;
    }

    /** Notes that the peer used this id. */
    void used(int id) {
        if (id > last) {
            if (id > last + 2) {
                skippedFrom = last + 1;
                skippedTo = id;
            }
            last = id;
        }
    }

    /** Whether {@code id} was skipped, as far as is remembered. */
    boolean skipped(int id) {
        return id >= skippedFrom && id < skippedTo;
    }

    /** Notes that the stream was reset here while the peer may still be sending. */
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

    /** Removes the stream from the table, frees its buffers, and keeps the object for another call. */
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
        if (spares < MAX_SPARE) {
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

    /** Closes the gap by moving back the entries that had been displaced past it. */
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
            int ideal = each.id >>> 1 & mask;
            if ((i - ideal & mask) >= (i - gap & mask)) {
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
