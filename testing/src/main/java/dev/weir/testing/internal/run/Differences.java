package dev.weir.testing.internal.run;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.PlainDuration;
import dev.weir.testing.internal.policy.Expectation;
import dev.weir.testing.internal.policy.Expected;
import dev.weir.testing.internal.policy.ExpectedWait;
import dev.weir.testing.internal.policy.PolicyStep.Ask;
import dev.weir.text.diagnostics.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares what a step expects with what happened. */
final class Differences {
    private final Ask step;
    private final StepOutcome outcome;
    private final List<Difference> found = new ArrayList<>();

    private Differences(Ask step, StepOutcome outcome) {
        this.step = step;
        this.outcome = outcome;
    }

    /** The differences of {@code step}, the counts first. */
    static List<Difference> of(Ask step, StepOutcome outcome) {
        Differences differences = new Differences(step, outcome);
        Expectation expect = step.expect();
        if (outcome.refused() > 0) {
            differences.found.add(new Difference(
                    step,
                    step.at(),
                    "a decision",
                    "refused: " + outcome.refusal(),
                    outcome.refused(),
                    "the first that was refused"));
            return differences.found;
        }
        differences.counts(expect.allowed(), expect.denied());
        differences.degraded(expect.degraded());
        differences.rule(expect.rule());
        MutableDecision last = outcome.last();
        differences.last(expect.status(), "status", last.status());
        differences.retryAfter(expect.retryAfter(), last);
        differences.waits(expect.waits(), outcome.lastWaitMicros());
        MutableVerdict binding = last.binding();
        if (expect.remaining() != null) {
            differences.last(expect.remaining(), "remaining", binding == null ? 0 : Math.max(0, binding.remaining()));
        }
        expect.headers().forEach(differences::header);
        return differences.found;
    }

    private void counts(@Nullable Expected<Long> allowed, @Nullable Expected<Long> denied) {
        boolean wrongAllowed = allowed != null && allowed.value() != outcome.allowed();
        boolean wrongDenied = denied != null && denied.value() != outcome.denied();
        if (!wrongAllowed && !wrongDenied) {
            return;
        }
        List<String> expected = new ArrayList<>();
        Position at = step.at();
        if (denied != null) {
            expected.add("denied " + denied.value());
            at = denied.at();
        }
        if (allowed != null) {
            expected.add(0, "allowed " + allowed.value());
            at = allowed.at();
        }
        long mostAllowed = allowed != null ? allowed.value() : denied != null ? step.times() - denied.value() : 0;
        boolean tooMany = outcome.allowed() > mostAllowed;
        long most = tooMany ? mostAllowed : step.times() - mostAllowed;
        String did = tooMany ? "allowed" : "denied";
        found.add(new Difference(
                step,
                at,
                String.join(", ", expected),
                "allowed " + outcome.allowed() + ", denied " + outcome.denied(),
                Math.max(1, outcome.excess(tooMany, most)),
                most == 0 ? "the first that was " + did : "the first that was " + did + " beyond " + most));
    }

    private void degraded(@Nullable Expected<Long> degraded) {
        if (degraded != null && degraded.value() != outcome.degraded()) {
            int beyond = outcome.degradedBeyond(degraded.value());
            found.add(new Difference(
                    step,
                    degraded.at(),
                    "degraded " + degraded.value(),
                    "degraded " + outcome.degraded(),
                    beyond == 0 ? step.times() : beyond,
                    beyond == 0 ? "the last" : "the first that its store did not answer beyond " + degraded.value()));
        }
    }

    private void rule(@Nullable Expected<String> rule) {
        if (rule == null) {
            return;
        }
        if (outcome.otherRule() > 0) {
            found.add(new Difference(
                    step,
                    rule.at(),
                    "denied by " + rule.value(),
                    "denied by " + outcome.otherRuleName(),
                    outcome.otherRule(),
                    "the first that another rule denied"));
            return;
        }
        String speaks = StepOutcome.ruleOf(outcome.last());
        if (outcome.denied() == 0 && !speaks.equals(rule.value())) {
            add(rule.at(), "rule " + rule.value(), "rule " + speaks);
        }
    }

    private void last(@Nullable Expected<Long> expected, String name, long happened) {
        if (expected != null && expected.value() != happened) {
            add(expected.at(), name + " " + expected.value(), name + " " + happened);
        }
    }

    private void retryAfter(@Nullable Expected<ExpectedWait> expected, MutableDecision last) {
        if (expected == null) {
            return;
        }
        if (last.allowed()) {
            add(expected.at(), "retry_after " + text(expected.value()), "allowed, so without retry_after");
            return;
        }
        MutableVerdict binding = last.binding();
        long actual = binding == null || binding.retryAfterMicros() == MutableVerdict.NEVER
                ? ExpectedWait.NEVER
                : binding.retryAfterMicros();
        if (!expected.value().is(actual)) {
            add(
                    expected.at(),
                    "retry_after " + text(expected.value()),
                    "retry_after " + (actual == ExpectedWait.NEVER ? "never" : PlainDuration.exact(actual)));
        }
    }

    private void waits(@Nullable Expected<ExpectedWait> expected, long micros) {
        if (expected != null && !expected.value().is(micros)) {
            add(expected.at(), "waits " + text(expected.value()), "waited " + PlainDuration.exact(micros));
        }
    }

    private static String text(ExpectedWait wait) {
        return wait.micros() == ExpectedWait.NEVER ? "never" : PlainDuration.exact(wait.micros());
    }

    private void header(String name, Expected<Optional<String>> expected) {
        String happened = null;
        List<String> headers = outcome.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            if (headers.get(i).equalsIgnoreCase(name)) {
                happened = headers.get(i + 1);
            }
        }
        if (!Optional.ofNullable(happened).equals(expected.value())) {
            add(
                    expected.at(),
                    name + ": " + expected.value().orElse("(none)"),
                    name + ": " + (happened == null ? "(none)" : happened));
        }
    }

    /** A difference of the last answer. */
    private void add(Position at, String expected, String happened) {
        found.add(new Difference(step, at, expected, happened, step.times(), step.times() == 1 ? "" : "the last"));
    }
}
