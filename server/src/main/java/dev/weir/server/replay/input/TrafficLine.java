package dev.weir.server.replay.input;

import dev.weir.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One line of recorded traffic, in a buffer that the next line overwrites. */
public final class TrafficLine {
    private final Request request = Request.to("");
    private final List<String> hashed = new ArrayList<>();
    long micros;
    long storeMicros;
    boolean wholeSeconds;
    String node = "";

    @Nullable
    Boolean passed;

    boolean banned;
    boolean degraded;
    boolean ownLimit;
    boolean someRules;
    int sample = 1;

    @Nullable
    String sampledBy;

    long lost;

    @Nullable
    String hash;

    @Nullable
    String region;

    void clear() {
        request.clear("");
        hashed.clear();
        micros = 0;
        storeMicros = 0;
        wholeSeconds = false;
        node = "";
        passed = null;
        banned = false;
        degraded = false;
        ownLimit = false;
        someRules = false;
        sample = 1;
        sampledBy = null;
        lost = 0;
        hash = null;
        region = null;
    }

    /** The request as it was sent. */
    public Request request() {
        return request;
    }

    /** The attributes whose values are hashes. */
    public List<String> hashed() {
        return hashed;
    }

    /** When the request is decided in a replay: the time of the store that decided, else that of the server. */
    public long micros() {
        return storeMicros > 0 ? storeMicros : micros;
    }

    /** Whether the time is known to the second only. */
    public boolean isWholeSeconds() {
        return wholeSeconds;
    }

    /** The server that decided; empty if the line does not say. */
    public String node() {
        return node;
    }

    /** Whether the request passed when it was recorded; null if the line does not say. */
    public @Nullable Boolean passed() {
        return passed;
    }

    /** Whether a ban or an exemption decided, and no rule. */
    public boolean isBanned() {
        return banned;
    }

    /** Whether a rule's {@code on_fail} decided, because a store did not answer. */
    public boolean isDegraded() {
        return degraded;
    }

    /** Whether the request brought a limit of its own, which is not recorded. */
    public boolean hasOwnLimit() {
        return ownLimit;
    }

    /** Whether the caller chose the rules that decided, which is not recorded. */
    public boolean namesRules() {
        return someRules;
    }

    /** How many callers, or requests, this one stands for. */
    public int sample() {
        return sample;
    }

    /** The attribute by which callers were selected; null if requests were, one by one. */
    public @Nullable String sampledBy() {
        return sampledBy;
    }
}
