package dev.weir.internal.model;

import dev.weir.Limit;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * How a limit shrinks for callers with a bad reputation: from each score on, a smaller limit.
 *
 * @param steps at least one, by rising score and with shares that fall
 */
public record ReputationScale(List<Step> steps) {
    /** The worst score; 0 is good, or unknown. */
    public static final int WORST = 100;

    /**
     * The limit from a score on.
     *
     * @param share thousandths of the rule's limit, as written
     * @param limit the limit that is counted
     */
    public record Step(int score, int share, Limit limit) {}

    public ReputationScale {
        steps = List.copyOf(steps);
        int score = 0;
        int share = LoadCurve.WHOLE;
        for (Step each : steps) {
            if (each.score <= score || each.score > WORST || each.share >= share || each.share < 1) {
                throw new IllegalArgumentException(
                        "reputation: " + steps + " (expected: rising scores from 1 to 100, falling shares below 1)");
            }
            score = each.score;
            share = each.share;
        }
    }

    /** The index of the step that {@code score} reaches; -1 if the whole limit holds. */
    public int stepAt(int score) {
        int reached = -1;
        while (reached + 1 < steps.size() && score >= steps.get(reached + 1).score) {
            reached++;
        }
        return reached;
    }

    /** The same steps with other limits. */
    public ReputationScale with(UnaryOperator<Step> limits) {
        return new ReputationScale(steps.stream().map(limits).toList());
    }
}
