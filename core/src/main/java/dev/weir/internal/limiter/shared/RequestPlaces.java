package dev.weir.internal.limiter.shared;

import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.place.PlaceAsk;
import dev.weir.internal.place.Places;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Check.Role;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.SharedStore;

/** The places of one request: this process, and every slot of every shared store. */
final class RequestPlaces implements Places {
    private final InFlightDecision pending;

    RequestPlaces(InFlightDecision pending) {
        this.pending = pending;
    }

    private SharedPath path() {
        return pending.path();
    }

    private TimeSource time() {
        return path().time();
    }

    @Override
    public int size() {
        return pending.checks.size();
    }

    @Override
    public Check check(int index) {
        return pending.checks.get(index);
    }

    @Override
    public boolean quotaPassed() {
        return pending.checks.quotaPassed;
    }

    @Override
    public boolean isHere(Check check) {
        return check.store == Check.LOCAL;
    }

    @Override
    public long place(Check check) {
        return ((long) check.store << Integer.SIZE)
                | Integer.toUnsignedLong(storeOf(check).slot(check));
    }

    private SharedStore storeOf(Check check) {
        return path().stores().at(check.store);
    }

    @Override
    public boolean decideHere(Checks group, boolean denied) {
        LocalStore local = path().local();
        if (denied) {
            addDenial(group);
        }
        return local.decide(group, time().micros());
    }

    /** As checks are taken all or none, one that is always over has the others answered and not taken. */
    static void addDenial(Checks group) {
        Check denial = group.add();
        denial.key0 = 0;
        denial.key1 = 0;
        denial.meter = MeteredRules.DENY;
        denial.hits = 1;
        denial.countsDenied = false;
        denial.role = Role.ENFORCE;
    }

    @Override
    public void send(PlaceAsk ask) {
        storeOf(ask.checks.get(0)).decide(ask);
    }

    @Override
    public void expire(PlaceAsk ask) {
        for (int i = 0; i < ask.checks.size(); i++) {
            ask.checks.get(i).failure = StoreFailure.TIMEOUT;
        }
        ask.home.execute(ask.answer());
    }

    @Override
    public void settle(PlaceAsk ask) {
        path().settlement().settle(pending, ask, ask.indices(), ask.sentNanos());
    }

    @Override
    public void failed(Throwable thrown) {
        pending.fault = thrown;
    }

    @Override
    public void decided() {
        pending.repeated = pending.places.repeated();
        pending.conflict = pending.places.conflict();
        path().settlement().finish(pending);
    }

    @Override
    public Ask giveBack(Check check) {
        StoreGiveBack giveBack = InFlightDecisionPool.ofThread().giveBack();
        giveBack.begin(path().tier(), pending.home);
        return giveBack;
    }

    @Override
    public void sendBack(Ask back) {
        path().settlement().gaveBack(back.checks.size());
        storeOf(back.checks.get(0)).decide(back);
    }

    @Override
    public long patienceNanos() {
        return 1_000 * path().settings().deadlineMicros();
    }

    @Override
    public long nanos() {
        return time().nanos();
    }
}
