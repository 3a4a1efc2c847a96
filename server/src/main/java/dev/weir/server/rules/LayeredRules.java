package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.rules.RuleLayers;
import dev.weir.control.source.SourceRules;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.ruleset.RuleSwitches;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules in force: those of the files, over them those of etcd, then those of xDS, and on top those of the database. */
public final class LayeredRules {
    private static final System.Logger LOG = System.getLogger(LayeredRules.class.getName());
    private static final int SHOWN = 20;

    private final List<SourceRules> sources;
    private final @Nullable ControlPlane control;
    private final Compiler compiler;
    /** Of the files first, then of each source. */
    private List<RuleSet> given;

    private Map<String, String> saidHidden = Map.of();
    private volatile RuleLayers below;
    private volatile RuleIndex all;
    private volatile Consumer<RuleIndex> listener = rules -> {};

    /** Compiles rules; apart, so that a test can count how often. */
    @FunctionalInterface
    interface Compiler {
        RuleIndex compile(RuleSet rules, OverrideLookup quotas, RuleSwitches switches);
    }

    public LayeredRules(RuleSet files, List<SourceRules> sources, @Nullable ControlPlane control) {
        this(files, sources, control, RuleIndex::of);
    }

    public LayeredRules(RuleSet files, List<SourceRules> sources, @Nullable ControlPlane control, Compiler compiler) {
        this.compiler = compiler;
        this.sources = List.copyOf(sources);
        this.control = control;
        this.given = new ArrayList<>();
        given.add(files);
        sources.forEach(each -> given.add(each.rules()));
        this.below = RuleLayers.of(given);
        this.all = compile(below);
    }

    /** All but those of the database. */
    public RuleLayers below() {
        return below;
    }

    public RuleIndex all() {
        return all;
    }

    /** Tells {@code next} of every index from now on, and of the one that there is. */
    public synchronized void follow(Consumer<RuleIndex> next) {
        listener = next;
        for (int i = 0; i < sources.size(); i++) {
            int layer = i + 1;
            sources.get(i).onRules(rules -> put(layer, rules));
            given.set(layer, sources.get(i).rules());
        }
        if (control != null) {
            control.onRules(ignored -> database());
            control.switches().onChange(this::switched);
        }
        inForce(given);
    }

    /** Takes in new files. */
    public void files(RuleSet next) {
        put(0, next);
    }

    private synchronized void put(int layer, RuleSet next) {
        List<RuleSet> changed = new ArrayList<>(given);
        changed.set(layer, next);
        inForce(changed);
        given = changed;
    }

    private void inForce(List<RuleSet> next) {
        RuleLayers layers = RuleLayers.of(next);
        RuleIndex compiled = compile(layers);
        listener.accept(compiled);
        below = layers;
        all = compiled;
        sayHidden(new TreeMap<>(layers.hidden()));
    }

    private void sayHidden(Map<String, String> hidden) {
        if (!hidden.isEmpty() && !hidden.equals(saidHidden)) {
            String lines = hidden.entrySet().stream()
                    .limit(SHOWN)
                    .map(each -> each.getKey() + " is hidden by " + each.getValue())
                    .collect(Collectors.joining("\n"));
            int more = hidden.size() - SHOWN;
            LOG.log(
                    Level.WARNING,
                    "rules: some lie over others:\n" + lines + (more > 0 ? "\n… and " + more + " more" : ""));
        }
        saidHidden = hidden;
    }

    private synchronized void database() {
        try {
            RuleIndex compiled = compile(below);
            listener.accept(compiled);
            all = compiled;
            LOG.log(
                    Level.INFO,
                    "rules: changed in the database and in force, "
                            + compiled.rules().size() + " in all");
        } catch (IllegalArgumentException e) {
            LOG.log(
                    Level.ERROR,
                    "rules of the database cannot be counted; those of before stay in force: " + e.getMessage());
        }
    }

    private synchronized void switched() {
        RuleIndex compiled = compile(below);
        listener.accept(compiled);
        all = compiled;
    }

    /** The one place where a change is compiled: once, when it comes into force. */
    private RuleIndex compile(RuleLayers layers) {
        if (control == null) {
            return compiler.compile(layers.rules(), OverrideLookup.NONE, RuleSwitches.NONE);
        }
        RuleSet written = control.rules().over(layers.rules()).build();
        return compiler.compile(written, control.quotas(), control.switches().inForce());
    }
}
