package dev.weir.server.stores;

import dev.weir.server.settings.Settings.Regions;
import dev.weir.server.stores.EpochNotes.Noted;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Compares the epoch of home in this server's settings with the latest one that servers have noted in the Redis of home
 * and in that of this region, and notes its own there if it is later.
 */
final class HomeEpochs {
    private static final System.Logger LOG = System.getLogger(HomeEpochs.class.getName());

    private final EpochNotes home;
    private final EpochNotes region;
    private final Regions regions;
    private final HomeGate gate;
    private final AtomicBoolean asking = new AtomicBoolean();
    /** The latest epoch that was noted in either Redis. */
    private volatile long latest;
    /** The epoch that was last read in the Redis of this region. */
    private volatile long notedHere;
    /** When the home of this server's epoch began by its own clock, microseconds; -1 if that is not known. */
    private volatile long since = -1;
    /** Whether the log says that this server's epoch is old. */
    private volatile boolean told;

    /** Compares the notes of {@code home} and of this {@code region}, and opens or shuts {@code gate}. */
    HomeEpochs(EpochNotes home, EpochNotes region, Regions regions, HomeGate gate) {
        this.home = home;
        this.region = region;
        this.regions = regions;
        this.gate = gate;
    }

    /** Whether it is known if this server counts at home. */
    boolean isKnown() {
        return gate.isOpen() || latest > regions.homeEpoch();
    }

    /** Asks both in the background; to be called about once a second. */
    void update() {
        if (!asking.compareAndSet(false, true)) {
            return;
        }
        region.read()
                .thenAccept(noted -> {
                    notedHere = noted.epoch();
                    learn(notedHere);
                })
                .exceptionally(unreachable -> null) // then home alone has to know
                .thenCompose(done -> home.time())
                .thenCompose(time -> home.read().thenCompose(noted -> compare(noted, time, true)))
                .whenComplete((done, failure) -> asking.set(false));
    }

    private void learn(long epoch) {
        latest = Math.max(latest, epoch);
    }

    private CompletionStage<Boolean> compare(Noted noted, long timeMicros, boolean posts) {
        long own = regions.homeEpoch();
        learn(noted.epoch());
        if (latest > own) {
            shut();
            return done();
        }
        if (noted.epoch() == own && noted.since() >= 0) {
            return open(noted.since(), timeMicros);
        }
        if (!posts) {
            return done();
        }
        // The first home has nobody before it. A later one remembers when it began.
        long began = since >= 0 ? since : own == 1 ? 0 : timeMicros;
        return home.post(own, began)
                .thenCompose(posted -> posted
                        ? open(began, timeMicros)
                        : home.read().thenCompose(again -> compare(again, timeMicros, false)));
    }

    private CompletionStage<Boolean> open(long began, long timeMicros) {
        if (since < 0) {
            since = began;
        }
        if (!gate.isOpen()) {
            LOG.log(
                    Level.INFO,
                    "home " + regions.home() + ", epoch " + regions.homeEpoch() + ": global limits count there");
        }
        gate.open(regions.homeAtOnce() ? 0 : since, timeMicros);
        return noteHere();
    }

    /** Notes the epoch in the Redis of this region, for servers that are left with an older one. */
    private CompletionStage<Boolean> noteHere() {
        long own = regions.homeEpoch();
        return regions.isHome() || notedHere >= own ? done() : region.post(own, -1);
    }

    private static CompletionStage<Boolean> done() {
        return CompletableFuture.completedFuture(true);
    }

    private void shut() {
        gate.shut();
        if (!told) {
            told = true;
            LOG.log(Level.WARNING, message() + "; on_fail decides global limits");
        }
    }

    /** Why this server does not count at home, for people; empty if it does, or does not know yet. */
    String problem() {
        return latest > regions.homeEpoch() && !gate.isOpen() ? message() : "";
    }

    private String message() {
        return "home_epoch " + regions.homeEpoch() + " is old: there are servers of epoch " + latest
                + " (set home and home_epoch as they do)";
    }
}
