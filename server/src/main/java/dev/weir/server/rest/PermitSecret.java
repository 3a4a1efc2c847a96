package dev.weir.server.rest;

import dev.weir.internal.runtime.FleetSecret;
import dev.weir.redis.internal.notes.SharedNotes;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The secret that signs permits: the fleet's if the settings have one, else one that is kept in Redis for all servers on
 * it, else a random one of this process. The one in Redis is read when the first permit needs it.
 */
public final class PermitSecret {
    private static final System.Logger LOG = System.getLogger(PermitSecret.class.getName());
    private static final String NAME = "secret";
    /** All servers post with the same stamp, so that the first post stays. */
    private static final long STAMP = 1;

    private static final int BYTES = 32;

    private final @Nullable FleetSecret ofFleet;
    private final @Nullable SharedNotes notes;
    private final String ownText = random();
    private final FleetSecret own = new FleetSecret(List.of(ownText));
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile @Nullable FleetSecret kept;

    /**
     * Signs with {@code ofFleet}; without it, with a secret in {@code notes}; without both, with one of this process.
     */
    public PermitSecret(@Nullable FleetSecret ofFleet, @Nullable SharedNotes notes) {
        this.ofFleet = ofFleet;
        this.notes = notes;
    }

    /** The secret; while Redis does not answer, the one of this process, whose permits no other process can verify. */
    CompletionStage<FleetSecret> get() {
        FleetSecret known = ofFleet != null ? ofFleet : kept;
        SharedNotes shared = notes;
        if (known != null || shared == null) {
            return CompletableFuture.completedFuture(known != null ? known : own);
        }
        return shared.post(NAME, STAMP, ownText, "")
                .thenCompose(posted -> shared.read())
                .handle((texts, failure) -> failure != null || texts.get(NAME) == null ? own : keep(texts.get(NAME)));
    }

    private FleetSecret keep(String text) {
        // Permits that were signed before Redis answered stay valid here.
        FleetSecret found = new FleetSecret(text.equals(ownText) ? List.of(text) : List.of(text, ownText));
        kept = found;
        if (warned.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "permits are signed with a secret that is kept in Redis: everyone who can write to Redis can forge"
                            + " permits (set fleet_secret, the same on all servers)");
        }
        return found;
    }

    private static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
