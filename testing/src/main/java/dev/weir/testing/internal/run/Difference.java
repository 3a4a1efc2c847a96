package dev.weir.testing.internal.run;

import dev.weir.testing.internal.policy.PolicyStep.Ask;
import dev.weir.text.diagnostics.Position;

/**
 * A difference between what a step expects and what happened.
 *
 * @param at where the file says what it expects
 * @param request the request of the step that shows it, from 1
 * @param why what is told of that request: {@code the first that was allowed beyond 5}
 */
public record Difference(Ask step, Position at, String expected, String happened, int request, String why) {}
