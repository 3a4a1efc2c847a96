package dev.weir.testing.internal.run;

import dev.weir.Request;
import dev.weir.http.internal.DenialProblem;
import dev.weir.http.internal.RateLimitFields;
import dev.weir.http.internal.VerdictNumbers;
import dev.weir.internal.explain.RuleExplanation;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.RequestTooCostlyException;
import dev.weir.simulation.clock.Timeline;
import dev.weir.testing.internal.policy.PolicyStep;
import dev.weir.testing.internal.policy.PolicyStep.Ask;
import dev.weir.testing.internal.policy.PolicyTest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of one test. A run is the same each time: to explain a request, the test runs again, and looks at that request
 * when it is decided.
 */
public final class PolicyRun {
    private static final Executor AT_ONCE = Runnable::run;
    private static final RateLimitFields FIELDS = new RateLimitFields(11);
    /** After the last request: longer than any deadline, queue or tarpit. */
    private static final long SETTLING_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final long SETTLING_STEP = TimeUnit.MILLISECONDS.toNanos(100);

    private final PolicyTest test;
    private final Timeline timeline = new Timeline();
    private final VirtualLimiter server;
    private final RuleCoverage coverage;
    private final Map<Ask, StepOutcome> outcomes = new LinkedHashMap<>();
    private final Request request = Request.to("");
    private final MutableDecision decision = new MutableDecision();
    /** The step and the request to explain; 0: none. */
    private final int explainedStep;

    private final int explainedRequest;
    private final List<String> explanation = new ArrayList<>();
    private long unanswered;

    private PolicyRun(PolicyTest test, RuleIndex index, int explainedStep, int explainedRequest) {
        this.test = test;
        this.explainedStep = explainedStep;
        this.explainedRequest = explainedRequest;
        this.coverage = new RuleCoverage(index);
        long requests = test.steps().stream()
                .mapToLong(each -> each instanceof Ask ask ? ask.times() : 0)
                .sum();
        this.server = new VirtualLimiter(timeline, test, index, requests);
    }

    /**
     * Runs {@code test}.
     *
     * @param index its rules, compiled without quotas
     */
    public static PolicyResult run(PolicyTest test, RuleIndex index) {
        long start = System.nanoTime();
        PolicyRun run = new PolicyRun(test, index, 0, 0);
        run.run();
        List<Difference> differences = new ArrayList<>();
        run.outcomes.forEach((step, outcome) -> differences.addAll(Differences.of(step, outcome)));
        List<String> explanation = List.of();
        if (!differences.isEmpty()) {
            Difference first = differences.get(0);
            PolicyRun again = new PolicyRun(test, index, first.step().number(), first.request());
            again.run();
            explanation = again.explanation;
        }
        return new PolicyResult(test, differences, explanation, run.coverage, System.nanoTime() - start);
    }

    private void run() {
        long end = 0;
        for (PolicyStep each : test.steps()) {
            timeline.at(each.micros() * 1_000, () -> happen(each));
            end = Math.max(end, (each instanceof Ask ask ? ask.lastMicros() : each.micros()) * 1_000);
            if (each instanceof Ask ask) {
                outcomes.put(ask, new StepOutcome(ask));
            }
        }
        timeline.runUntil(end + 1);
        for (long late = SETTLING_STEP; unanswered > 0 && late <= SETTLING_NANOS; late += SETTLING_STEP) {
            timeline.runUntil(end + late);
        }
    }

    private void happen(PolicyStep step) {
        if (step instanceof Ask ask) {
            ask(ask, 1);
        } else if (step instanceof PolicyStep.Load load) {
            server.load(load);
        } else if (step instanceof PolicyStep.Banned ban) {
            server.ban(ban);
        } else if (step instanceof PolicyStep.Lifted lifted) {
            server.lift(lifted);
        } else if (step instanceof PolicyStep.Unreachable cut) {
            server.cut(cut);
        }
    }

    private void ask(Ask step, int first) {
        int number = first;
        askOnce(step, number);
        while (step.everyMicros() == 0 && number < step.times()) {
            askOnce(step, ++number);
        }
        if (number < step.times()) {
            int next = number + 1;
            timeline.after(step.everyMicros() * 1_000, () -> ask(step, next));
        }
    }

    private void askOnce(Ask step, int number) {
        step.request().fill(request, number);
        unanswered++;
        try {
            decide(step, number);
        } catch (RequestTooCostlyException e) {
            unanswered--;
            StepOutcome outcome = outcomes.get(step);
            if (outcome != null) {
                outcome.refused(number, String.valueOf(e.getMessage()));
            }
        }
    }

    private void decide(Ask step, int number) {
        long asked = server.micros();
        boolean here = server.queues()
                .decide(
                        request,
                        asked,
                        decision,
                        () -> new Waiter() {
                            @Override
                            public Executor home() {
                                return AT_ONCE;
                            }

                            @Override
                            public void decided(Request decidedRequest, MutableDecision later) {
                                answered(step, number, asked, decidedRequest, later);
                            }
                        },
                        null);
        if (here) {
            answered(step, number, asked, request, decision);
        }
    }

    private void answered(Ask step, int number, long asked, Request of, MutableDecision answer) {
        unanswered--;
        StepOutcome outcome = outcomes.get(step);
        if (outcome == null) {
            return;
        }
        outcome.answered(number, answer, server.micros() - asked);
        coverage.add(answer);
        if (number == step.times() && !step.expect().headers().isEmpty()) {
            outcome.lastHeaders(headers(of, answer));
        }
        if (step.number() == explainedStep && number == explainedRequest) {
            explain(of, answer);
        }
        TakenPermits permits = answer.permits();
        if (step.request().lastMicros() > 0
                && permits != null
                && !permits.held().isEmpty()) {
            var held = List.copyOf(permits.held());
            timeline.after(step.request().lastMicros() * 1_000, () -> {
                var unused = server.limiter().permits().release(held);
            });
        }
    }

    /** The headers that a check over REST would get; {@code Retry-After} without its random part. */
    private List<String> headers(Request of, MutableDecision answer) {
        MutableVerdict binding = answer.binding();
        if (binding != null && answer.counterBucket() == null) {
            CounterLabel counter = server.limiter().index().counter(of, binding);
            if (counter != null) {
                answer.nameCounter(counter.text(), counter.bucket());
            }
        }
        List<String> headers =
                new ArrayList<>(answer.ban() != null && !answer.allowed() ? List.of() : FIELDS.of(answer));
        VerdictNumbers retry = answer.allowed() ? null : DenialProblem.retry(answer);
        if (retry != null) {
            headers.add("Retry-After");
            headers.add(Long.toString(retry.retryAfterSeconds()));
        }
        return headers;
    }

    private void explain(Request of, MutableDecision answer) {
        Ban ban = answer.ban();
        if (ban != null) {
            explanation.add(ban.sentence());
        }
        RuleIndex index = server.limiter().index();
        for (RuleExplanation each : index.look(of)) {
            MutableVerdict verdict = verdictOf(each.rule(), answer);
            explanation.add(
                    verdict == null
                            ? each.rule().label() + " did not apply: " + each.why()
                            : server.limiter().explain(of, verdict).text());
        }
        for (int i = 0; i < answer.size(); i++) {
            Rule rule = answer.verdict(i).rule();
            if (rule != null && rule.id().equals(RuleIndex.OVERRIDE)) {
                explanation.add(server.limiter().explain(of, answer.verdict(i)).text());
            }
        }
    }

    private static @Nullable MutableVerdict verdictOf(Rule rule, MutableDecision answer) {
        for (int i = 0; i < answer.size(); i++) {
            if (answer.verdict(i).rule() == rule) {
                return answer.verdict(i);
            }
        }
        return null;
    }
}
