package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.place.CheckStates;
import dev.weir.internal.place.MultiPlaceDecision;
import dev.weir.internal.place.PlaceAsk;
import dev.weir.internal.place.Places;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/**
 * The places of one ask whose checks do not fit in one call: its counters live in different hash slots, or in a slot
 * that is migrating, or some of them count denied hits of a request that is already denied.
 */
final class HashSlotPlaces implements Places {
    private final QueuedAsk whole;
    private final AskRouter way;
    private final boolean byKey;
    private final MultiPlaceDecision decision = new MultiPlaceDecision(this);

    private HashSlotPlaces(QueuedAsk whole, AskRouter way, boolean byKey) {
        this.whole = whole;
        this.way = way;
        this.byKey = byKey;
    }

    /** Decides {@code whole}, whose counters live in several hash slots. */
    static void decideBySlot(QueuedAsk whole, AskRouter way) {
        new HashSlotPlaces(whole, way, false).start();
    }

    /** Decides {@code whole}, whose keys share a migrating hash slot: during the migration they live on two servers. */
    static void decideByKey(QueuedAsk whole, AskRouter way) {
        new HashSlotPlaces(whole, way, true).start();
    }

    private void start() {
        decision.begin();
        Ask like = new Whole();
        like.deadlineNanos = whole.deadlineNanos;
        like.graceNanos = whole.graceNanos();
        like.denied = whole.group.askOnly;
        like.idempotency = whole.group.idempotency;
        like.lookOnly = whole.group.lookOnly;
        decision.start(like, byKey);
    }

    /** Carries the deadline and options of the whole ask. It is never sent itself. */
    private static final class Whole extends Ask {
        @Override
        public void answered() {
            throw new IllegalStateException("asked of no place");
        }
    }

    /** Gives hits back; no caller waits for it. */
    private static final class Returning extends Ask {
        @Override
        public void answered() {}
    }

    @Override
    public int size() {
        return whole.group.size();
    }

    @Override
    public Check check(int index) {
        return whole.group.get(index);
    }

    @Override
    public boolean quotaPassed() {
        return whole.group.quotaPassed;
    }

    @Override
    public boolean isHere(Check check) {
        return false;
    }

    @Override
    public long place(Check check) {
        return byKey ? check.key0 : way.slot(check);
    }

    @Override
    public boolean decideHere(Checks group, boolean denied) {
        throw new IllegalStateException("this process counts nothing here");
    }

    @Override
    public void send(PlaceAsk ask) {
        way.send(pending(ask, ask.counts()));
    }

    @Override
    public void expire(PlaceAsk ask) {
        way.fail(pending(ask, ask.counts()), StoreFailure.TIMEOUT);
    }

    private QueuedAsk pending(Ask ask, boolean counts) {
        // Without checks the ask is only about the idempotency key, which is stored beside the last check.
        Check last = check(size() - 1);
        QueuedAsk pending = QueuedAsk.of(ask, way);
        pending.fill(ask.checks);
        pending.group.askOnly = ask.denied && !counts;
        pending.group.idempotency = ask.idempotency;
        pending.group.lookOnly = ask.lookOnly;
        pending.group.about = last.name.subject();
        pending.slot = way.slot(ask.checks.size() == 0 ? last : ask.checks.get(0));
        pending.alone = byKey;
        for (int i = 0; byKey && i < ask.checks.size(); i++) {
            keepNoGrant(ask.checks.get(i));
        }
        return pending;
    }

    /** Makes a lease one whose grant is not kept, because that takes a second key. */
    private static void keepNoGrant(Check check) {
        check.lessee = 0;
        check.ahead = check.again ? 0 : check.ahead;
        check.again = false;
    }

    @Override
    public void settle(PlaceAsk ask) {
        CheckStates states = decision.states();
        for (int i = 0; i < ask.checks.size(); i++) {
            if (ask.checks.get(i).failure != null) {
                ask.checks.get(i).outcome.allowed = true; // stops nobody, as the store saw it
                check(ask.indices()[i]).outcome.allowed = true;
            }
        }
        boolean known = ask.repeated || ask.conflict;
        boolean passed = !ask.denied && ask.checks.allowed();
        for (int i = 0; i < ask.checks.size(); i++) {
            if (known || ask.checks.get(i).failure != null) {
                states.settled(ask.indices()[i]);
            } else {
                states.decided(ask.indices()[i], ask.checks.get(i), passed, ask.sentNanos());
            }
        }
    }

    @Override
    public void failed(Throwable thrown) {
        throw new IllegalStateException(thrown);
    }

    @Override
    public void decided() {
        boolean again = decision.repeated() || decision.conflict();
        decision.conclude(again);
        whole.group.repeated = decision.repeated();
        whole.group.conflict = decision.conflict();
        whole.group.allowed = !whole.group.askOnly && !decision.states().denied();
        whole.extendTo(decision.deadlineNanos(), decision.graceNanos());
        CompletionTask.now(whole);
    }

    @Override
    public Ask giveBack(Check check) {
        return new Returning();
    }

    @Override
    public void sendBack(Ask back) {
        way.giveBack(pending(back, false));
    }

    @Override
    public long patienceNanos() {
        return way.patienceNanos();
    }

    @Override
    public long nanos() {
        return way.nanos();
    }
}
