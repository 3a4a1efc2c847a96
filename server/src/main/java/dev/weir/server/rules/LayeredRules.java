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

/** The rules in force: those of the files, over them those of etcd, then those of xDS, and on top those of the database. */
final class LayeredRules {
    private static final System.Logger LOG = System.getLogger(LayeredRules.class.getName());
    private static final int SHOWN = 20;

    private final List<SourceRules> sources;
    private final @Nullable ControlPlane control;
    /** Of the files first, then of each source. */
    private List<RuleSet> given;

    private Map<String, String> saidHidden = Map.of();
    private volatile RuleLayers below;
    private volatile RuleSet all;
    private volatile Consumer<RuleSet> listener = rules -> {};

    LayeredRules(RuleSet files, List<SourceRules> sources, @Nullable ControlPlane control) {
        this.sources = List.copyOf(sources);
        this.control = control;
        this.given = new ArrayList<>();
        given.add(files);
        sources.forEach(each -> given.add(each.rules()));
        this.below = RuleLayers.of(given);
        this.all = layered(below);
    }

    /** All but those of the database. */
    RuleLayers below() {
        return below;
    }

    RuleSet all() {
        return all;
    }

    /** Tells {@code next} of every set from now on, and of the one that there is. */
    synchronized void follow(Consumer<RuleSet> next) {
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
    void files(RuleSet next) {
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
        RuleSet layered = layered(layers);
        listener.accept(layered);
        below = layers;
        all = layered;
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
            RuleSet layered = layered(below);
            listener.accept(layered);
            all = layered;
            LOG.log(
                    Level.INFO,
                    "rules: changed in the database and in force, "
                            + layered.rules().size() + " in all");
        } catch (IllegalArgumentException e) {
            LOG.log(
                    Level.ERROR,
                    "rules of the database cannot be counted; those of before stay in force: " + e.getMessage());
        }
    }

    private synchronized void switched() {
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
