package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.rules.RuleLayers;
import dev.weir.control.source.SourceRules;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Layers the rules: files at the bottom, then etcd, then xDS, and the database on top. */
public final class LayeredRules {
    private static final System.Logger LOG = System.getLogger(LayeredRules.class.getName());
    private static final int MAX_LOGGED = 20;

    private final List<SourceRules> sources;
    private final @Nullable ControlPlane control;
    private final Compiler compiler;
    /** The rules of the files, then those of each source. */
    private List<WrittenRules> layers;

    private Map<String, String> loggedHidden = Map.of();
    private volatile RuleLayers below;
    private volatile RuleIndex all;
    private volatile Consumer<RuleIndex> listener = rules -> {};

    /** Compiles rules; apart, so that a test can count how often. */
    @FunctionalInterface
    interface Compiler {
        RuleIndex compile(WrittenRules rules, OverrideLookup quotas, RuleSwitches switches);
    }

    LayeredRules(WrittenRules files, List<SourceRules> sources, @Nullable ControlPlane control, Compiler compiler) {
        this.compiler = compiler;
        this.sources = List.copyOf(sources);
        this.control = control;
        this.layers = new ArrayList<>();
        layers.add(files);
        sources.forEach(each -> layers.add(each.rules()));
        this.below = RuleLayers.of(layers);
        this.all = compile(below);
    }

    /** The rules below the database. */
    RuleLayers below() {
        return below;
    }

    RuleIndex all() {
        return all;
    }

    /** Calls {@code next} with the current index, and again after every change. */
    synchronized void follow(Consumer<RuleIndex> next) {
        listener = next;
        for (int i = 0; i < sources.size(); i++) {
            int layer = i + 1;
            sources.get(i).onRules(rules -> put(layer, rules));
            layers.set(layer, sources.get(i).rules());
        }
        if (control != null) {
            control.onRules(ignored -> databaseChanged());
            control.switches().onChange(this::compileAgain);
        }
        inForce(layers);
    }

    /** Replaces the rules of the files. */
    void files(WrittenRules next) {
        put(0, next);
    }

    private synchronized void put(int layer, WrittenRules next) {
        List<WrittenRules> changed = new ArrayList<>(layers);
        changed.set(layer, next);
        inForce(changed);
        layers = changed;
    }

    private void inForce(List<WrittenRules> next) {
        RuleLayers merged = RuleLayers.of(next);
        RuleIndex compiled = compile(merged);
        listener.accept(compiled);
        below = merged;
        all = compiled;
        logHidden(new TreeMap<>(merged.hidden()));
    }

    private void logHidden(Map<String, String> hidden) {
        if (!hidden.isEmpty() && !hidden.equals(loggedHidden)) {
            String lines = hidden.entrySet().stream()
                    .limit(MAX_LOGGED)
                    .map(each -> each.getKey() + " is overridden by " + each.getValue())
                    .collect(Collectors.joining("\n"));
            int more = hidden.size() - MAX_LOGGED;
            LOG.log(
                    Level.WARNING,
                    "rules: some are overridden by a higher layer:\n" + lines
                            + (more > 0 ? "\n… and " + more + " more" : ""));
        }
        loggedHidden = hidden;
    }

    private synchronized void databaseChanged() {
        try {
            RuleIndex compiled = compile(below);
            listener.accept(compiled);
            all = compiled;
            LOG.log(
                    Level.INFO,
                    "rules: changed in the database and now in force, "
                            + compiled.source().rules().size() + " in total");
        } catch (IllegalArgumentException e) {
            LOG.log(
                    Level.ERROR,
                    "rules of the database cannot be applied; the previous rules stay in force: " + e.getMessage());
        }
    }

    /** Puts the same rules in force anew, because a switch or a load changed. */
    synchronized void compileAgain() {
        RuleIndex compiled = compile(below);
        listener.accept(compiled);
        all = compiled;
    }

    /** The one place where a change is compiled: once, when it comes into force. */
    private RuleIndex compile(RuleLayers layers) {
        if (control == null) {
            return compiler.compile(layers.rules(), OverrideLookup.NONE, RuleSwitches.NONE);
        }
        WrittenRules written = control.rules().over(layers.rules()).build();
        return compiler.compile(written, control.quotas(), control.switches().inForce());
    }
}
