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

/** Describes the current state of each rule source, for operators and for metrics. */
record RuleSourceViews(
        WatchedRuleFiles files,
        List<SourceRules> remote,
        LayeredRules rules,
        @Nullable ControlPlane control) {
    private static final String LABEL = "source";
    private static final String CURRENT = "ratelimit.rules.source.current";
    private static final String CURRENT_HELP =
            "1 if the rules that the source holds are in force, 0 if they do not load.";

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
                    current ? "" : "the last edit does not load (see the log)",
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
                    connected ? problems : "unreachable",
                    String.valueOf(control.version()),
                    null));
        }
        return views;
    }

    /** Adds one set of series for each network source that the settings name, and one series for the database. */
    void addTo(ServerMetrics metrics) {
        ControlPlane database = control;
        if (database != null) {
            metrics.gauge(CURRENT, CURRENT_HELP, () -> database.ruleProblems().isEmpty() ? 1 : 0, LABEL, "database");
        }
        for (SourceRules each : remote) {
            String source = each.label();
            metrics.gauge(
                            "ratelimit.rules.source.connected",
                            "1 while the rule source is connected; otherwise its last rules stay in force.",
                            () -> each.status().connected() ? 1 : 0,
                            LABEL,
                            source)
                    .gauge(CURRENT, CURRENT_HELP, () -> each.status().current() ? 1 : 0, LABEL, source)
                    .gauge(
                            "ratelimit.rules.source.age.seconds",
                            "Seconds since the source's rules last changed; -1 before the first.",
                            () -> age(each.status().changed()),
                            LABEL,
                            source)
                    .counter(
                            "ratelimit.rules.source.changes",
                            "Changes of the source's rules that came into force.",
                            each::changes,
                            LABEL,
                            source)
                    .counter(
                            "ratelimit.rules.source.errors",
                            "Times that the source was unreachable, or that its rules did not load, by reason.",
                            each::losses,
                            LABEL,
                            source,
                            "reason",
                            "unreachable")
                    .counter(
                            "ratelimit.rules.source.errors",
                            "Times that the source was unreachable, or that its rules did not load, by reason.",
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
