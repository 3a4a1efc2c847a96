package dev.weir.server.bans;

import dev.weir.Request;
import dev.weir.control.bans.Bans;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.escalation.Escalator;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.server.metrics.ServerMetrics;
import java.util.ArrayList;
import java.util.List;

/** Puts the bans of people, rules and lists into force, and describes them in metrics. */
public final class ServerBans {
    private final Bans bans;
    private final AddressFiles lists;
    private final CrowdSecFeed crowdSec;
    private final Escalator escalator;
    private final Limiter limiter;

    public ServerBans(Bans bans, AddressFiles lists, CrowdSecFeed crowdSec, Escalator escalator, Limiter limiter) {
        this.bans = bans;
        this.lists = lists;
        this.crowdSec = crowdSec;
        this.escalator = escalator;
        this.limiter = limiter;
    }

    /** Puts the bans into force now, and again whenever they change. */
    public void start() {
        escalator.exempt(this::isExempt);
        lists.exempt(this::isExempt);
        bans.onChange(this::publish);
        lists.follow(this::publish);
        crowdSec.follow(this::publish);
        publish();
    }

    /** Swaps the table. Of two threads that do so, the later one reads the newest entries. */
    private synchronized void publish() {
        List<BanSet> sets = new ArrayList<>(bans.sets());
        sets.addAll(lists.sets());
        sets.add(crowdSec.set());
        limiter.bans(new BanTable(sets));
    }

    private boolean isExempt(Request request) {
        Ban found = limiter.ban(request);
        return found != null && found.kind() == BanKind.ALLOW;
    }

    public void addTo(ServerMetrics metrics) {
        lists.addTo(metrics);
        crowdSec.addTo(metrics);
        for (BanKind kind : BanKind.values()) {
            for (boolean automatic : new boolean[] {false, true}) {
                metrics.gauge(
                        "ratelimit.bans",
                        "Bans in force, by kind and by who made them; those of lists are not among them.",
                        () -> bans.count(kind, automatic),
                        "kind",
                        kind.text(),
                        "by",
                        automatic ? "rule" : "operator");
            }
        }
        metrics.gauge(
                        "ratelimit.bans.unreconciled",
                        "Bans made on this node that the database does not hold yet.",
                        bans::unreconciled)
                .counter(
                        "ratelimit.bans.dropped",
                        "Bans of rules that were not made because there were too many.",
                        bans::dropped)
                .counter(
                        "ratelimit.escalation.uncounted",
                        "Denials that did not count towards a ban because too many were being counted.",
                        escalator::uncounted);
    }
}
