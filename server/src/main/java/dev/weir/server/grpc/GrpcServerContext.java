package dev.weir.server.grpc;

import dev.weir.TimeSource;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.service.GrpcService;
import dev.weir.server.grpc.service.RuleCatalogService;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.OutOfMemory;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.atomic.AtomicLong;

/** The settings, services and buffers that all connections of a gRPC server share. */
final class GrpcServerContext {
    private final GrpcServerSettings settings;
    private final Decider decider;
    private final TimeSource time;
    private final GrpcServerObserver observer;
    private final GrpcService health;
    private final GrpcService reflection;
    private final GrpcService quotas;
    private final GrpcService catalog;
    private final MemoryBudget memory;
    private final OutOfMemory outOfMemory;
    private final AtomicLong buffered = new AtomicLong();
    private final FastThreadLocal<EventLoopBuffers> buffers = new FastThreadLocal<>() {
        @Override
        protected EventLoopBuffers initialValue() {
            return new EventLoopBuffers(settings);
        }
    };

    GrpcServerContext(
            GrpcServerSettings settings,
            Decider decider,
            TimeSource time,
            GrpcServerObserver observer,
            GrpcService health,
            GrpcService reflection,
            GrpcService quotas,
            MemoryBudget memory) {
        this.settings = settings;
        this.decider = decider;
        this.time = time;
        this.observer = observer;
        this.health = health;
        this.reflection = reflection;
        this.quotas = quotas;
        this.catalog = new RuleCatalogService(decider::rules);
        this.memory = memory;
        this.outOfMemory = new OutOfMemory(memory);
    }

    /** The budget that connections are charged to. */
    MemoryBudget memory() {
        return memory;
    }

    OutOfMemory outOfMemory() {
        return outOfMemory;
    }

    GrpcServerSettings settings() {
        return settings;
    }

    Decider decider() {
        return decider;
    }

    TimeSource time() {
        return time;
    }

    GrpcServerObserver observer() {
        return observer;
    }

    /** Bytes of unfinished requests on all connections. */
    AtomicLong buffered() {
        return buffered;
    }

    /** The buffers of this event loop. */
    EventLoopBuffers buffers() {
        return buffers.get();
    }

    /** Frees the buffers of this thread. */
    void removeBuffers() {
        buffers.remove();
    }

    GrpcService service(GrpcMethod method) {
        return switch (method) {
            case HEALTH_CHECK, HEALTH_WATCH -> health;
            case QUOTA_STREAM -> quotas;
            case DESCRIBE_RULES -> catalog;
            default -> reflection;
        };
    }
}
