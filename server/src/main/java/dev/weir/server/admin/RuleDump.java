package dev.weir.server.admin;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.counters.WindowText;
import dev.weir.server.rls.RlsUnit;
import org.jspecify.annotations.Nullable;

/** Prints rules as the reference service does, one per line, with additions of Weir's own. */
final class RuleDump {
    private RuleDump() {}

    static String of(RuleIndex rules) {
        StringBuilder dump = new StringBuilder();
        for (Rule each : rules.rules()) {
            if (each.id().equals(RuleIndex.OVERRIDE)) {
                continue; // not a written rule: it has a limit only for callers with an override
            }
            String path = each.domain() + '.' + each.label();
            dump.append(path.replaceAll("\\p{Cntrl}", "?")).append(": ");
            limit(dump, each.limit());
            dump.append(", shadow_mode: ").append(each.shadow());
            dump.append(", quota_mode: ").append(each.quota()).append('\n');
        }
        return dump.toString();
    }

    private static void limit(StringBuilder dump, @Nullable Limit limit) {
        if (limit == null) {
            dump.append("unit=UNKNOWN requests_per_unit=0, unlimited: true");
            return;
        }
        RlsUnit unit = RlsUnit.of(limit);
        dump.append("unit=").append(unit).append(" requests_per_unit=").append(limit.requests());
        if (unit == RlsUnit.UNKNOWN) {
            dump.append(", ").append(WindowText.nameOf(limit)).append(": ").append(WindowText.of(limit));
        }
        if (limit.algorithm() != Algorithm.FIXED_WINDOW) {
            dump.append(", algorithm: ").append(limit.algorithm());
        }
        if (limit.burst() != limit.requests()) {
            dump.append(", burst: ").append(limit.burst());
        }
        if (limit.credit() > 0) {
            dump.append(", burst_credit: ").append(limit.credit());
        }
        if (limit.subWindows() > 1) {
            dump.append(", sub_windows: ").append(limit.subWindows());
        }
    }
}
