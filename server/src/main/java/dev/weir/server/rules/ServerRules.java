package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.source.SourceRules;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.metrics.ServerMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The rules of a server: the watched files, the layers above them, and the view of each source. */
public final class ServerRules {
    private final WatchedRuleFiles files;
    private final LayeredRules layers;
    private final RuleSourceViews views;
    private final @Nullable RuleFileAudit audit;
    private final SliceChanges slices;

    /**
     * Layers the rules of {@code remote} and then those of {@code control} over {@code files}.
     *
     * @param control null where the server has no database
     * @param data the data folder; null where the server has none
     */
    public ServerRules(
            WatchedRuleFiles files,
            List<SourceRules> remote,
            @Nullable ControlPlane control,
            @Nullable Path data,
            RuleCompiler compiler) {
        this.files = files;
        this.slices = compiler.slices();
        layers = new LayeredRules(files.first(), remote, control, compiler::compile);
        views = new RuleSourceViews(files, remote, layers, control);
        audit = control == null ? null : new RuleFileAudit(control, files.source(), data, files.first());
    }

    /** The rules of all layers. */
    public RuleIndex all() {
        return layers.all();
    }

    /** The rules as the admin port shows them. */
    public RulesInForce inForce() {
        return new RulesInForce(layers::below, layers::all, views::now);
    }

    /** Calls {@code listener} with the current rules, and again after every change of a layer. */
    public void follow(Consumer<RuleIndex> listener) {
        layers.follow(listener);
        if (audit != null) {
            audit.start();
        }
        files.follow(next -> {
            layers.files(next);
            if (audit != null) {
                audit.changed(next);
            }
        });
    }

    /** Puts the rules in force anew, because a load changed. */
    public void loadChanged() {
        layers.compileAgain();
    }

    /** Puts the rules in force anew if a slice may grow now; to be called about once a second. */
    public void growSlices() {
        if (slices.isDue()) {
            layers.compileAgain();
        }
    }

    public void addTo(ServerMetrics metrics) {
        files.addTo(metrics);
        views.addTo(metrics);
    }
}
