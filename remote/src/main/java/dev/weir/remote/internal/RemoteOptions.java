package dev.weir.remote.internal;

import dev.weir.OnFail;
import dev.weir.RuleSource;
import dev.weir.WeirObserver;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The options of a remote limiter; {@code RemoteWeir} checks and documents them. */
public final class RemoteOptions {
    public final ServerAddress address;
    public Duration deadline = Duration.ofMillis(20);
    public Duration warmUp = Duration.ofSeconds(2);
    public OnFail onFail = OnFail.ALLOW;
    public @Nullable RuleSource fallback;
    public int connections = 1;
    public @Nullable Path trust;
    public @Nullable Path chain;
    public @Nullable Path key;
    public WeirObserver observer = new WeirObserver() {};

    public RemoteOptions(ServerAddress address) {
        this.address = address;
    }

    /** A copy, which later changes of this one do not reach. */
    public RemoteOptions copy() {
        RemoteOptions copy = new RemoteOptions(address);
        copy.deadline = deadline;
        copy.warmUp = warmUp;
        copy.onFail = onFail;
        copy.fallback = fallback;
        copy.connections = connections;
        copy.trust = trust;
        copy.chain = chain;
        copy.key = key;
        copy.observer = observer;
        return copy;
    }
}
