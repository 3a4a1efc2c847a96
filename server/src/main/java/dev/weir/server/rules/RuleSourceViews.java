package dev.weir.server.rules;

import dev.weir.control.ControlPlane;
import dev.weir.control.rules.RuleLayers;
import dev.weir.control.source.SourceRules;
import dev.weir.control.source.SourceStatus;
import dev.weir.server.metrics.ServerMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sources of rules as they are now, for operators and for metrics. */
record RuleSourceViews(
        WatchedRuleFiles files,
        List<SourceRules> remote,
        LayeredRules rules,
        @Nullable ControlPlane control) {
    private static final String LABEL = "source";
    private static final String CURRENT = "ratelimit.rules.source.current";
    private static final String CURRENT_HELP =
            "1 if what the source holds is what is in force, 0 if that does not load.";

    List<RuleSourceView> now() {
        List<RuleSourceView> views = new ArrayList<>();
        RuleLayers below = rules.below();
        if (!files.source().isEmpty()) {
            boolean current = files.isCurrent();
            views.add(new RuleSourceView(
                    files.source(),
                    files.count(),
                    below.hiddenOf(0),
                    true,
                    current,
                    current ? "" : "the last edit does not load; see the log",
                    "",
                    files.changed()));
        }
        for (int i = 0; i < remote.size(); i++) {
            SourceStatus each = remote.get(i).status();
            views.add(new RuleSourceView(
                    each.source(),
                    each.rules(),
                    below.hiddenOf(i + 1),
                    each.connected(),
                    each.current(),
                    each.problem(),
                    each.version(),
                    each.changed()));
        }
        if (control != null) {
            boolean connected = control.isConnected();
            String problems = control.ruleProblems();
            views.add(new RuleSourceView(
                    "database",
                    control.rules().rules().size(),
                    0,
                    connected,
                    problems.isEmpty(),
                    connected ? problems : "it does not answer",
                    String.valueOf(control.version()),
                    null));
        }
        return views;
    }

    /** One set of series for each source over a network: as many as the settings name; and of the database the one it can lack. */
    void addTo(ServerMetrics metrics) {
        ControlPlane database = control;
        if (database != null) {
            metrics.gauge(CURRENT, CURRENT_HELP, () -> database.ruleProblems().isEmpty() ? 1 : 0, LABEL, "database");
        }
        for (SourceRules each : remote) {
            String source = each.label();
            metrics.gauge(
                            "ratelimit.rules.source.connected",
                            "1 while the source of rules is there; without it, its last rules stay in force.",
                            () -> each.status().connected() ? 1 : 0,
                            LABEL,
                            source)
                    .gauge(CURRENT, CURRENT_HELP, () -> each.status().current() ? 1 : 0, LABEL, source)
                    .gauge(
                            "ratelimit.rules.source.age.seconds",
                            "Since the rules of the source last changed; -1 while it has had none.",
                            () -> age(each.status().changed()),
                            LABEL,
                            source)
                    .counter(
                            "ratelimit.rules.source.changes",
                            "Times that other rules of the source came into force.",
                            each::changes,
                            LABEL,
                            source)
                    .counter(
                            "ratelimit.rules.source.errors",
                            "Times that the source was lost or out of reach, or held what does not load.",
                            each::losses,
                            LABEL,
                            source,
                            "reason",
                            "unreachable")
                    .counter(
                            "ratelimit.rules.source.errors",
                            "Times that the source was lost or out of reach, or held what does not load.",
                            each::mistakes,
                            LABEL,
                            source,
                            "reason",
                            "invalid");
        }
    }

    private static double age(@Nullable Instant since) {
        return since == null ? -1 : Duration.between(since, Instant.now()).toMillis() / 1_000.0;
    }
}
