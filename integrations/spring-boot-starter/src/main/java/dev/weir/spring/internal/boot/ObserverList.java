package dev.weir.spring.internal.boot;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.StoreFailure;
import dev.weir.WeirObserver;
import java.util.List;

/** Tells several observers. */
record ObserverList(List<WeirObserver> observers) implements WeirObserver {

    @Override
    public void decided(Request request, Decision decision) {
        observers.forEach(each -> each.decided(request, decision));
    }

    @Override
    public void storeFailed(StoreFailure failure) {
        observers.forEach(each -> each.storeFailed(failure));
    }

    @Override
    public void rulesChanged(RuleSet rules) {
        observers.forEach(each -> each.rulesChanged(rules));
    }

    @Override
    public void rulesRejected(String errors) {
        observers.forEach(each -> each.rulesRejected(errors));
    }
}
