package dev.weir.server;

import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.bans.AddressFiles;
import dev.weir.server.control.ControlComponents;
import dev.weir.server.health.Health;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.load.LimitsUnderLoad;
import dev.weir.server.rules.RuleCompiler;
import dev.weir.server.rules.ServerRules;
import dev.weir.server.rules.SliceChanges;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.Settings;
import org.jspecify.annotations.Nullable;

/** The components that say what to decide: rule files, the control plane, lists of addresses, and reported loads. */
final class PolicyComponents {
    final AddressFiles addressFiles;
    final ControlComponents control;
    final LimitsUnderLoad loads;
    final ServerRules rules;

    PolicyComponents(Settings settings, FileWatcher files, CloseStack opened) throws StartException {
        WatchedRuleFiles ruleFiles = opened.add(new WatchedRuleFiles(settings));
        addressFiles = opened.add(new AddressFiles(settings.trust()));
        control = opened.add(new ControlComponents(settings, files));
        loads = opened.add(new LimitsUnderLoad());
        rules = new ServerRules(
                ruleFiles,
                control.remote(),
                control.control(),
                settings.control().data(),
                new RuleCompiler(
                        settings.limiter().endpointForm(),
                        new SliceChanges(() -> 1_000 * System.currentTimeMillis()),
                        loads,
                        addressFiles));
    }

    /**
     * Applies every change of rules, switches, loads and bans to the limiter from now on.
     *
     * @param health is told whether there are rules, if it depends on them
     */
    void follow(DecisionObservers observers, DecisionComponents decisions, @Nullable Health health, CloseStack opened) {
        Limiter limiter = decisions.limiter;
        RedisSharedStore notes = decisions.noteStore;
        @Nullable FleetSecret secret = decisions.secret;
        rules.follow(next -> {
            observers.rules(next);
            limiter.index(next);
            if (health != null) {
                health.lacksRules(next.domains().isEmpty());
            }
        });
        opened.add(control.followSwitches(notes, secret));
        loads.start(limiter::rules, rules::loadChanged, notes == null ? null : notes.loadNews(), secret);
        decisions.bans.start();
        opened.add(control.followBans(notes, secret));
    }
}
