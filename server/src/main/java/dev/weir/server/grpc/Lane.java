package dev.weir.server.grpc;

import dev.weir.model.TimeSource;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.atomic.AtomicLong;

/** What all connections of a lane share. */
final class Lane {
    private final LaneSettings settings;
    private final Decider decider;
    private final TimeSource time;
    private final LaneObserver observer;
    private final SideService health;
    private final SideService reflection;
    private final AtomicLong buffered = new AtomicLong();
    private final FastThreadLocal<Scratch> scratch = new FastThreadLocal<>() {
        @Override
        protected Scratch initialValue() {
            return new Scratch(settings);
        }
    };

    Lane(
            LaneSettings settings,
            Decider decider,
            TimeSource time,
            LaneObserver observer,
            SideService health,
            SideService reflection) {
        this.settings = settings;
        this.decider = decider;
        this.time = time;
        this.observer = observer;
        this.health = health;
        this.reflection = reflection;
    }

    LaneSettings settings() {
        return settings;
    }

    Decider decider() {
        return decider;
    }

    TimeSource time() {
        return time;
    }

    LaneObserver observer() {
        return observer;
    }

    /** Bytes of unfinished requests on all connections. */
    AtomicLong buffered() {
        return buffered;
    }

    /** This event loop's buffers. */
    Scratch scratch() {
        return scratch.get();
    }

    /** Lets go of this thread's buffers. */
    void forgetScratch() {
        scratch.remove();
    }

    SideService service(Method method) {
        return method == Method.HEALTH_CHECK || method == Method.HEALTH_WATCH ? health : reflection;
    }
}
