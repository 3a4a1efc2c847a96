package dev.weir.simulation.traffic;

import dev.weir.Request;
import dev.weir.simulation.clock.Timeline;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Sends the requests of callers of one kind. */
public final class Flow {
    private static final int KEPT_NAMES = 1 << 16;

    private final FlowSettings settings;
    private final Timeline timeline;
    private final SplittableRandom random;
    private final Destination destination;
    private final int nodes;
    private final List<Map.Entry<String, String>> attributes;
    private final @Nullable String[] names;
    /** Until when each caller waits, if callers obey retry-after. */
    private final long @Nullable [] quietUntil;

    private long kept;

    public Flow(FlowSettings settings, Timeline timeline, SplittableRandom random, int nodes, Destination destination) {
        this.settings = settings;
        this.timeline = timeline;
        this.random = random.split();
        this.destination = destination;
        this.nodes = nodes;
        this.attributes = List.copyOf(settings.attributes().entrySet());
        int callers = settings.callers().count();
        this.names = new String[Math.min(KEPT_NAMES, callers)];
        this.quietUntil = settings.obeysRetryAfter() ? new long[callers] : null;
    }

    /** Requests that callers did not send because of a retry-after. */
    public long kept() {
        return kept;
    }

    /** Begins to send. */
    public void start() {
        ArrivalGenerator.start(settings, timeline, random.split(), this);
    }

    void send(int caller) {
        long now = timeline.now();
        if (quietUntil != null && quietUntil[caller] > now) {
            kept++;
            return;
        }
        destination.arrive(this, caller, settings.placement().node(caller, now, nodes, random));
    }

    /** Fills {@code request} as {@code caller} sends it. */
    public void fill(Request request, int caller) {
        request.clear(settings.domain());
        for (int i = 0; i < attributes.size(); i++) {
            request.with(attributes.get(i).getKey(), attributes.get(i).getValue());
        }
        request.with(settings.key(), name(caller));
        request.hits(settings.hits());
        request.asAttributes();
    }

    private String name(int caller) {
        if (caller >= names.length) {
            return settings.name() + caller;
        }
        String name = names[caller];
        if (name == null) {
            name = settings.name() + caller;
            names[caller] = name;
        }
        return name;
    }

    /** Records that {@code caller} was denied with a retry-after of {@code micros}. */
    public void denied(int caller, long micros) {
        if (quietUntil != null && micros > 0) {
            quietUntil[caller] = timeline.now() + micros * 1_000;
        }
    }
}
