package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.rules.RuleLayers;
import dev.weir.control.source.SourceRules;
import dev.weir.internal.ruleset.RuleSet;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Layers the rules: files at the bottom, then etcd, then xDS, and the database on top. */
final class LayeredRules {
    private static final System.Logger LOG = System.getLogger(LayeredRules.class.getName());
    private static final int MAX_LOGGED = 20;

    private final List<SourceRules> sources;
    private final @Nullable ControlPlane control;
    /** The rules of the files, then those of each source. */
    private List<RuleSet> layers;

    private Map<String, String> loggedHidden = Map.of();
    private volatile RuleLayers below;
    private volatile RuleSet all;
    private volatile Consumer<RuleSet> listener = rules -> {};

    LayeredRules(RuleSet files, List<SourceRules> sources, @Nullable ControlPlane control) {
        this.sources = List.copyOf(sources);
        this.control = control;
        this.layers = new ArrayList<>();
        layers.add(files);
        sources.forEach(each -> layers.add(each.rules()));
        this.below = RuleLayers.of(layers);
        this.all = layered(below);
    }

    /** The rules below the database. */
    RuleLayers below() {
        return below;
    }

    RuleSet all() {
        return all;
    }

    /** Calls {@code next} with the current rules, and again after every change. */
    synchronized void follow(Consumer<RuleSet> next) {
        listener = next;
        for (int i = 0; i < sources.size(); i++) {
            int layer = i + 1;
            sources.get(i).onRules(rules -> put(layer, rules));
            layers.set(layer, sources.get(i).rules());
        }
        if (control != null) {
            control.onRules(ignored -> databaseChanged());
            control.switches().onChange(this::switchesChanged);
        }
        inForce(layers);
    }

    /** Replaces the rules of the files. */
    void files(RuleSet next) {
        put(0, next);
    }

    private synchronized void put(int layer, RuleSet next) {
        List<RuleSet> changed = new ArrayList<>(layers);
        changed.set(layer, next);
        inForce(changed);
        layers = changed;
    }

    private void inForce(List<RuleSet> next) {
        RuleLayers merged = RuleLayers.of(next);
        RuleSet layered = layered(merged);
        listener.accept(layered);
        below = merged;
        all = layered;
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
            RuleSet layered = layered(below);
            listener.accept(layered);
            all = layered;
            LOG.log(
                    Level.INFO,
                    "rules: changed in the database and now in force, "
                            + layered.rules().size() + " in total");
        } catch (IllegalArgumentException e) {
            LOG.log(
                    Level.ERROR,
                    "rules of the database cannot be applied; the previous rules stay in force: " + e.getMessage());
        }
    }

    private synchronized void switchesChanged() {
        RuleSet layered = layered(below);
        listener.accept(layered);
        all = layered;
    }

    private RuleSet layered(RuleLayers layers) {
        return control == null
                ? layers.rules()
                : control.rules()
                        .over(layers.rules())
                        .quotas(control.quotas())
                        .switches(control.switches().inForce())
                        .build();
    }
}
