package dev.weir.server;

import dev.weir.control.ControlPlane;
import dev.weir.control.rules.RuleLayer;
import dev.weir.match.RuleSet;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The rules in force: those of the files, and over them those of the database. */
final class LayeredRules {
    private static final System.Logger LOG = System.getLogger(LayeredRules.class.getName());

    private final @Nullable ControlPlane control;
    private volatile RuleSet files;
    private volatile RuleSet all;
    private volatile Consumer<RuleSet> listener = rules -> {};

    LayeredRules(RuleSet files, @Nullable ControlPlane control) {
        this.files = files;
        this.control = control;
        this.all = layered(files);
    }

    RuleSet files() {
        return files;
    }

    RuleSet all() {
        return all;
    }

    /** Tells {@code next} of every set from now on, and of the one that there is. */
    synchronized void follow(Consumer<RuleSet> next) {
        listener = next;
        next.accept(all);
        if (control != null) {
            control.onRules(this::database);
            control.switches().onChange(this::switched);
            switched(); // what was switched since the first set was built
        }
    }

    /** Takes in new files. */
    synchronized void files(RuleSet next) {
        RuleSet layered = layered(next);
        listener.accept(layered);
        files = next;
        all = layered;
    }

    private synchronized void database(RuleLayer ignored) {
        try {
            RuleSet layered = layered(files);
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
        RuleSet layered = layered(files);
        listener.accept(layered);
        all = layered;
    }

    private RuleSet layered(RuleSet below) {
        return control == null
                ? below
                : control.rules()
                        .over(below)
                        .quotas(control.quotas())
                        .switches(control.switches().inForce())
                        .build();
    }
}
