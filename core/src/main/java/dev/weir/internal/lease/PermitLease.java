package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The permits that this process has in flight under one concurrency limit, and the level that the store has granted it.
 *
 * <h2>Why the limit holds</h2>
 *
 * <p>The levels of all nodes together are at most the limit, and a node takes a permit only below its level. A level lasts
 * nearly for the time to live of the limit, from when the store received the ask. A permit lasts shorter, by
 * {@linkplain PermitLevels#useMicros a use time}. The node takes and renews permits only within four fifths of that time,
 * counted from before it asked, by two clocks. So every permit ends before the level that it was taken under, whatever
 * becomes of the node.
 *
 * <h2>Asks</h2>
 *
 * <p>Asks are numbered and tell absolute numbers. An ask that wants less than the level lowers what this process may use
 * before it is sent; an answer to an earlier ask no longer raises it. Hits of requests that are on their way to the store
 * count as if they were in flight.
 *
 * <h2>How often</h2>
 *
 * <p>A report is due every tenth of a second while there is something to tell. A busy node reports after every
 * {@value #ACQUIRES_PER_REPORT} acquires while permits are released at other nodes than their own, so that these are free
 * the sooner the more often they are wanted. Each report reads as much mail as the last ones found, without knowing
 * whether there is any.
 */
public final class PermitLease {
    /** After the store had no room, requests are denied here for this long, nanoseconds; it is the time between reports. */
    static final long REST = 100_000_000L;

    /** The level is given up if nothing was asked for so long, nanoseconds. */
    private static final long IDLE = 1_000_000_000L;

    /** An ask that keeps the level as it is, at least. */
    private static final long KEEPS_ALL = 1L << 50;

    /** A node with permits in flight looks into its mailbox so often within their time to live. */
    private static final int POLLS_PER_TTL = 12;

    private static final long LONGEST_POLL = 3_333_000_000L;
    /** Without so many acquires in half a use time, the level is not renewed ahead: the next acquire asks. */
    private static final int ACQUIRES_PER_RENEWAL = 5;

    private static final int ACQUIRES_PER_REPORT = 20;

    private final LeasedPermits owner;
    private final String name;
    private final Check like = new Check();
    private PermitLevels meter;
    private final PermitsInFlight inFlight;
    private final PermitDemand demand;
    private final PermitMail mail = new PermitMail();
    /** The hits of requests that are on their way to the store. */
    private long pending;

    private long level;
    /** The limit less the levels of all nodes, as the store last said. */
    private long room;

    /** The last ask that told {@link #level}, and the last one that lowered it. */
    private long answeredNumber;

    private long loweredNumber;
    /** When the level was last asked for, by two clocks. */
    private long asked;

    private long askedWall;

    private boolean everGranted;
    private boolean reporting;
    private long reportedAt;
    /** Acquires that passed since the last report. */
    private int acquires;

    /** Requests of at least so many hits have no room until then. */
    private long fullHits;

    private long fullUntil;
    private boolean wasFull;

    private long wantedAt;

    /** The requests that look at this lease; while there are any, it is not forgotten. */
    private int users;

    private boolean over;
    /** Called after the next report. */
    private List<Runnable> afterReport = new ArrayList<>();

    PermitLease(LeasedPermits owner, Check check, String name, Limit limit, long now) {
        this.owner = owner;
        this.name = name;
        isOf(check);
        this.meter = PermitLevels.of(limit);
        this.inFlight = new PermitsInFlight(owner::entries);
        this.demand = new PermitDemand(now);
        this.wantedAt = now;
        this.reportedAt = now;
    }

    /** The counter, as every report names it. */
    Check like() {
        return like;
    }

    /** The name of the counter, with its store. */
    String name() {
        return name;
    }

    /** Takes over how {@code check} names the counter. */
    synchronized void isOf(Check check) {
        like.set(check);
        like.hits = 1;
        like.countsDenied = false;
        like.role = Check.Role.SHADOW;
    }

    private Limit limit() {
        return meter.limit();
    }

    private long useNanos() {
        return 1_000 * PermitLevels.useMicros(limit()) * 4 / 5;
    }

    private boolean isUsable(long now, long wall) {
        long use = useNanos();
        return everGranted && now - asked < use && 1_000 * (wall - askedWall) < use;
    }

    /** Takes over the limit of a check, if it has changed; a new time to live needs a new level. */
    private void adopt(Limit limit) {
        if (!limit.equals(limit())) {
            everGranted &= limit.windowMicros() == limit().windowMicros();
            fullHits = 0; // there may be room now
            meter = PermitLevels.of(limit);
        }
    }

    /** Takes the permits of {@code check} at {@code now} if the level has room for them. */
    public synchronized boolean take(Check check, long now, long wall) {
        PermitLevels asks = levels(check);
        adopt(asks.limit());
        inFlight.expire(now);
        long left = Math.min(level, limit().requests()) - inFlight.total() - pending;
        if (!isUsable(now, wall) || left < check.hits) {
            return false;
        }
        want(check.hits, now);
        hold(asks.firstId(), check.hits, now);
        check.meter = asks.ownedBy(owner.node());
        tell(check.outcome, true);
        return true;
    }

    /** Whether the store had no room a moment ago; then the outcome of {@code check} is a denial. */
    public synchronized boolean rests(Check check, long now, long wall) {
        adopt(levels(check).limit());
        inFlight.expire(now);
        boolean covered = isUsable(now, wall) && level - inFlight.total() - pending >= check.hits;
        if (covered || fullHits == 0 || check.hits < fullHits || now - fullUntil >= 0) {
            return false;
        }
        wantedAt = now;
        wasFull = true;
        tell(check.outcome, false);
        check.outcome.retryAfter =
                check.hits > limit().requests() ? Outcome.NEVER : Math.max(1, (fullUntil - now + 999) / 1_000);
        return true;
    }

    /** Makes {@code check}, which the level does not cover, an ask for more. */
    public synchronized void ask(Check check, long now) {
        PermitLevels asks = levels(check);
        adopt(asks.limit());
        inFlight.expire(now);
        want(check.hits, now);
        pending += check.hits;
        long needed = inFlight.total() + pending;
        long wanted = Math.max(level, needed + ahead(now));
        check.meter = asks.telling(owner.node(), owner.nextNumber(), KEEPS_ALL, inFlight.total(), wanted, needed, 0);
    }

    /**
     * Records the answer to {@code check}, which {@link #ask} has made: whether the store has {@code granted} its permits.
     * It was asked at {@code since}, by two clocks. Returns whether the permits are in flight now; not if the answer is
     * too late.
     */
    public synchronized boolean answered(
            Check check, boolean granted, long since, long sinceWall, long now, long wall) {
        PermitLevels asks = levels(check);
        pending -= check.hits;
        long use = useNanos();
        boolean inTime = now - since < use && 1_000 * (wall - sinceWall) < use;
        if (granted) {
            learn(asks.number(), check.outcome, since, sinceWall);
            fullHits = 0;
        } else if (check.failure == null && !check.outcome.allowed) {
            full(
                    Math.min(check.hits, check.outcome.remaining + Math.max(0, level - inFlight.total() - pending) + 1),
                    now);
        }
        if (granted && inTime) {
            hold(asks.firstId(), check.hits, now);
        }
        return granted && inTime;
    }

    /** Forgets a request that {@link #ask} has prepared, and that no store was asked for. */
    public synchronized void cancel(long hits) {
        pending -= hits;
    }

    /** Requests of {@code hits} or more have no room for a moment. */
    private void full(long hits, long now) {
        wasFull = true;
        fullHits = Math.max(1, hits);
        fullUntil = now + REST;
    }

    /** Starts to use this lease; false if it is over. */
    synchronized boolean enter() {
        users += over ? 0 : 1;
        return !over;
    }

    /** Ends a use. */
    public synchronized void leave() {
        users--;
    }

    /** Takes over the level that the store told in its answer to an ask that it accepted. */
    private void learn(long answered, Outcome out, long since, long sinceWall) {
        if (answered > answeredNumber && answered >= loweredNumber) {
            answeredNumber = answered;
            level = PermitLevels.levelIn(out);
            room = out.remaining;
            mail.holds(PermitLevels.mailIn(out));
            asked = since;
            askedWall = sinceWall;
            everGranted = true;
        }
    }

    /** Releases the permits with {@code id}; returns whether they were in flight. */
    public synchronized boolean release(long id, long now) {
        inFlight.expire(now);
        return inFlight.remove(id);
    }

    /** Releases {@code permits} permits, those that expire first, or all if there are fewer. */
    public synchronized void releaseOldest(long permits, long now) {
        inFlight.expire(now);
        inFlight.removeOldest(permits);
    }

    /** Whether a renewal can be counted at {@code now}. */
    public synchronized boolean canRenew(long now, long wall) {
        return isUsable(now, wall);
    }

    /** Renews the permits with {@code id}; returns whether they were in flight. */
    public synchronized boolean renew(long id, long now) {
        inFlight.expire(now);
        return inFlight.renew(id, now + ttlNanos());
    }

    /** Has {@code task} called after the next report; returns false if too many wait for that. */
    synchronized boolean afterReport(Runnable task) {
        return afterReport.size() < PermitMail.MOST_OUTBOX && afterReport.add(task);
    }

    /** Calls what waited for a report. */
    void ranReport() {
        List<Runnable> waiting;
        synchronized (this) {
            if (afterReport.isEmpty()) {
                return;
            }
            waiting = afterReport;
            afterReport = new ArrayList<>();
        }
        waiting.forEach(Runnable::run);
    }

    /** Queues an entry for the mailbox of another node; returns false if there are too many. */
    synchronized boolean mail(long node, long entry) {
        return mail.send(node, entry);
    }

    /** Writes the state, as far as it is known here. */
    public synchronized void tell(Outcome out, boolean allowed) {
        out.allowed = allowed;
        long left = Math.max(0, level - inFlight.total() - pending) + room;
        out.remaining = allowed ? Math.min(left, limit().requests()) : 0;
        out.reset = inFlight.total() + pending == 0 ? 0 : limit().windowMicros();
        out.retryAfter = 0;
        out.delay = 0;
        out.debt = 0;
    }

    /** The part of this node's level that is not in flight. */
    public synchronized long unused() {
        return Math.max(0, level - inFlight.total());
    }

    synchronized long inFlight() {
        return inFlight.total();
    }

    private long ttlNanos() {
        return 1_000 * PermitLevels.permitMicros(limit());
    }

    private long pollNanos() {
        return Math.min(1_000 * limit().windowMicros() / POLLS_PER_TTL, LONGEST_POLL);
    }

    private void hold(long id, long count, long now) {
        inFlight.add(id, count, now + ttlNanos());
    }

    private void want(long hits, long now) {
        wantedAt = now;
        acquires++;
        demand.add(hits, now);
    }

    /** The permits to ask for beyond those that are needed: what was acquired lately. */
    private long ahead(long now) {
        return demand.ahead(limit().requests(), now);
    }

    /** Whether a report should leave now: the level runs low, or mail is on its way and enough was acquired since. */
    synchronized boolean isUrgent(long now) {
        boolean low = now - fullUntil >= 0 && level - inFlight.total() - pending < ahead(now) / 2;
        return (!reporting && low) || isBusy();
    }

    /** Whether mail is on its way, and enough was acquired since the last report to pay for the next one. */
    synchronized boolean isBusy() {
        return !reporting && mail.isExpected() && acquires >= ACQUIRES_PER_REPORT;
    }

    synchronized boolean isReporting() {
        return reporting;
    }

    /** The next report, if it is time or {@code forced}; null otherwise. */
    synchronized @Nullable PermitReport report(long now, long wall, boolean forced) {
        inFlight.expire(now);
        if (reporting) {
            return null;
        }
        boolean idle = inFlight.total() + pending == 0 && now - wantedAt >= IDLE;
        boolean mayAsk = everGranted || inFlight.total() > 0;
        long ahead = idle || owner.isClosed() ? 0 : ahead(now);
        long wanted = inFlight.total() + pending + ahead;
        long spare = level - inFlight.total() - pending;
        boolean renews = everGranted && now - asked >= useNanos() / 2 && acquires >= ACQUIRES_PER_RENEWAL;
        boolean polls = inFlight.total() > 0 && now - reportedAt >= pollNanos();
        boolean lowers = level > 0 && (spare > 2 * ahead + 1 || (idle && level > 0));
        boolean due = renews || polls || lowers || wasFull || mail.isDue() || isNearlyUsed(ahead);
        if (!forced && !isBusy() && (!due || now - reportedAt < REST)) {
            return null;
        }
        PermitReport report = new PermitReport(this, owner, now, wall);
        mail.addTo(report, this, meter, owner.node(), polls ? 1 : 0);
        if (mayAsk) {
            boolean lower = spare > ahead && wanted < level;
            wanted = lower ? wanted : Math.max(level, wanted);
            long kept = lower ? inFlight.total() + pending : KEEPS_ALL;
            report.number = owner.nextNumber();
            report.wanted = wanted;
            report.add(
                    like, meter.telling(owner.node(), report.number, kept, inFlight.total(), wanted, 0, mail.read()));
            if (lower) {
                level = wanted;
                loweredNumber = report.number;
            }
        }
        if (report.checks.size() == 0) {
            return null;
        }
        reporting = true;
        reportedAt = now;
        acquires = 0;
        wasFull = false;
        return report;
    }

    private boolean isNearlyUsed(long ahead) {
        return everGranted && level - inFlight.total() - pending < ahead / 2;
    }

    /** Records the answer to {@code report}; returns whether the next one should follow at once. */
    synchronized boolean reported(PermitReport report, long now) {
        reporting = false;
        Checks checks = report.checks;
        boolean tells = report.number > 0;
        if (tells) {
            mail.removed();
        }
        if (checks.get(0).failure != null) {
            return false;
        }
        mail.sent(report.mailed);
        int end = checks.size() - (tells ? 1 : 0);
        long read = 0;
        for (int i = report.mailed; i < end; i++) {
            if (checks.get(i).outcome.allowed) {
                read++;
                handle(PermitLevels.entryIn(checks.get(i).outcome), report.asked, now);
            }
        }
        mail.wasRead(read);
        if (tells) {
            Outcome told = checks.get(end).outcome;
            learn(report.number, told, report.asked, report.askedWall);
            if (PermitLevels.levelIn(told) < report.wanted) {
                full(1, now);
            }
            mail.expectAfter(read);
        }
        return mail.isPlenty();
    }

    /** Handles an entry of the mailbox that a report made at {@code asked} has read. */
    private void handle(long entry, long asked, long now) {
        if (entry >= PermitLevels.RENEWS) {
            inFlight.expire(now);
            inFlight.renew(entry - PermitLevels.RENEWS, asked + ttlNanos());
        } else {
            release(entry, now);
        }
    }

    /** Forgets the permits, because an operator has reset the counter. */
    synchronized void forget() {
        inFlight.clear();
        everGranted = false;
        level = 0;
        fullHits = 0;
    }

    /** Whether nothing here is worth keeping at {@code now}. */
    synchronized boolean isOver(long now) {
        over = users == 0
                && inFlight.isEmpty()
                && pending == 0
                && !reporting
                && level == 0
                && !mail.hasToSend()
                && afterReport.isEmpty()
                && now - wantedAt >= IDLE;
        return over;
    }

    private static PermitLevels levels(Check check) {
        return (PermitLevels) Objects.requireNonNull(check.meter, "meter");
    }
}
