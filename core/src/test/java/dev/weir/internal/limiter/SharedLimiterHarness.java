package dev.weir.internal.limiter;

import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A limiter on virtual time whose shared stores answer when the test says so. */
final class SharedLimiterHarness implements LimiterObserver, TimeSource {
    /** Ten seconds into a minute. */
    long now = 1_800_000_010L * LocalLimiterHarness.SECOND;

    final MemoryStore local = new MemoryStore(10_000);
    final Map<String, ScriptedStore> stores = new LinkedHashMap<>();
    final List<StoreFailure> failures = new ArrayList<>();
    final Limiter limiter;
    int decided;
    int gaveBack;
    int keysNotKept;

    SharedLimiterHarness(WrittenRules rules, String... stores) {
        this(RuleIndex.of(rules), stores);
    }

    SharedLimiterHarness(RuleIndex rules, String... stores) {
        this(rules, LimiterSettings.defaults(), stores);
    }

    SharedLimiterHarness(WrittenRules rules, LimiterSettings settings, String... others) {
        this(RuleIndex.of(rules), settings, others);
    }

    /** With a shared store called default, and others by these names. */
    SharedLimiterHarness(RuleIndex rules, LimiterSettings settings, String... others) {
        stores.put("default", new ScriptedStore(this));
        for (String each : others) {
            stores.put(each, new ScriptedStore(this));
        }
        limiter = new Limiter(rules, local, SharedStores.of(stores), this, settings, this);
    }

    @Override
    public long micros() {
        return now;
    }

    @Override
    public long nanos() {
        return now * 1_000;
    }

    /** The default store. */
    ScriptedStore store() {
        return store("default");
    }

    ScriptedStore store(String name) {
        ScriptedStore store = stores.get(name);
        if (store == null) {
            throw new AssertionError(name);
        }
        return store;
    }

    /** Asks, and keeps what it is told. */
    Answer ask(Request request) {
        return ask(request, Long.MAX_VALUE);
    }

    Answer ask(Request request, long patienceMicros) {
        return ask(request, patienceMicros, null);
    }

    Answer ask(Request request, long patienceMicros, @Nullable Idempotency idempotency) {
        Answer answer = new Answer(patienceMicros);
        MutableDecision into = new MutableDecision();
        if (limiter.decide(request, now, into, () -> answer, idempotency)) {
            answer.atOnce = true;
            answer.decided(request, into);
        }
        return answer;
    }

    /** Asks, has every store answer, and says what came of it as {@link LocalLimiterHarness#text} does. */
    String decide(Request request) {
        return decide(request, null);
    }

    String decide(Request request, @Nullable Idempotency idempotency) {
        Answer answer = ask(request, Long.MAX_VALUE, idempotency);
        for (boolean more = true; more; ) {
            more = false;
            for (ScriptedStore each : stores.values()) {
                more |= !each.waiting.isEmpty();
                each.answerAll();
            }
        }
        return answer.text;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        decided++;
    }

    @Override
    public void storeFailed(StoreFailure failure) {
        failures.add(failure);
    }

    @Override
    public void gaveBack(int checks) {
        gaveBack += checks;
    }

    @Override
    public void keyNotKept() {
        keysNotKept++;
    }

    /** Waits for one decision, and remembers it. */
    static class Answer implements Waiter {
        final MutableDecision decision = new MutableDecision();
        final long patienceMicros;
        String text = "none";
        boolean atOnce;
        int told;

        Answer(long patienceMicros) {
            this.patienceMicros = patienceMicros;
        }

        @Override
        public Executor home() {
            return Runnable::run;
        }

        @Override
        public long patienceMicros() {
            return patienceMicros;
        }

        @Override
        public void decided(Request request, MutableDecision buffer) {
            told++;
            decision.set(buffer);
            text = LocalLimiterHarness.text(decision)
                    + (decision.degraded() ? " degraded" : "")
                    + (decision.repeated() ? " again" : "")
                    + (decision.conflict() ? " conflict" : "");
        }
    }
}
