package dev.weir.rules.internal.grammar;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.Rule;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The field {@code over}: what happens to requests over the limit.
 *
 * @param queue how they wait for their turn; null if they do not
 * @param tarpitMicros how long their denial is delayed; 0 if it is not
 */
record OverLimit(@Nullable QueueBounds queue, long tarpitMicros) {
    /** They are denied at once. */
    static final OverLimit DENY = new OverLimit(null, 0);

    private static final String EXAMPLE = "{ queue: { max_wait: 500ms, max_waiting: 64 } }";
    private static final String TARPIT_EXAMPLE = "{ delay: 2s }";
    private static final long LEAST_TARPIT_MICROS = 100_000;

    /** Reads {@code over} of a rule with {@code limit}. */
    static OverLimit read(Fields rule, @Nullable Limit limit) {
        Fields over = part(rule, "over", EXAMPLE);
        if (over == null) {
            return DENY;
        }
        int before = over.problems().errors();
        over.allow(
                List.of("queue", "tarpit"),
                Map.of(
                        "max_wait", Fields.belongsIn("queue"),
                        "burst_credit", Fields.belongsIn("limit")));
        if (over.has("queue") && over.has("tarpit")) {
            over.problems().error(over.nameAt("tarpit"), "tarpit beside queue", "remove one of them");
        } else if (over.problems().errors() == before && !over.has("queue") && !over.has("tarpit")) {
            over.problems().error(over.at(), "over is empty", "expected: queue or tarpit, like " + EXAMPLE);
        }
        if (over.problems().errors() > before) {
            return DENY;
        }
        return over.has("queue") ? queue(over, limit) : tarpit(over);
    }

    private static OverLimit queue(Fields over, @Nullable Limit limit) {
        Fields queue = part(over, "queue", "{ max_wait: 500ms, max_waiting: 64 }");
        if (queue == null) {
            return DENY;
        }
        queue.allow(List.of("max_wait", "max_waiting"), Map.of());
        Long wait = queue.duration("max_wait", "ms");
        Long waiting = queue.whole("max_waiting", 1, QueueBounds.MOST_WAITING);
        long micros = wait == null ? QueueBounds.DEFAULT_WAIT_MICROS : wait;
        if (micros < 1 || micros > QueueBounds.LONGEST_WAIT_MICROS) {
            queue.problems()
                    .error(
                            queue.at("max_wait"),
                            "max_wait: " + Durations.text(micros),
                            "expected: up to " + Durations.text(QueueBounds.LONGEST_WAIT_MICROS));
            return DENY;
        }
        if (limit != null && limit.algorithm() == Algorithm.LEAKY_BUCKET && drainMicros(limit) > micros) {
            queue.problems()
                    .error(
                            queue.has("max_wait") ? queue.at("max_wait") : over.at("queue"),
                            "max_wait: " + Durations.text(micros),
                            "expected: at least " + Durations.text(drainMicros(limit))
                                    + ", in which a full leaky_bucket drains; or a smaller burst");
            return DENY;
        }
        if (limit != null && limit.algorithm() == Algorithm.CONCURRENCY) {
            queue.problems()
                    .error(
                            over.nameAt("queue"),
                            "queue beside algorithm: concurrency",
                            "a queue waits for a rate; expected: no queue, or another algorithm");
            return DENY;
        }
        int most = waiting == null ? QueueBounds.DEFAULT_WAITING : waiting.intValue();
        return new OverLimit(new QueueBounds(micros, most), 0);
    }

    private static OverLimit tarpit(Fields over) {
        Fields tarpit = part(over, "tarpit", TARPIT_EXAMPLE);
        if (tarpit == null) {
            return DENY;
        }
        tarpit.allow(List.of("delay"), Map.of("max_wait", "expected: delay"));
        Long delay = tarpit.duration("delay", "s");
        if (delay == null) {
            if (tarpit.lacks("delay")) {
                tarpit.problems().error(tarpit.at(), "delay is missing", "expected: tarpit: " + TARPIT_EXAMPLE);
            }
            return DENY;
        }
        if (delay < LEAST_TARPIT_MICROS || delay > Rule.MOST_TARPIT_MICROS) {
            tarpit.problems()
                    .error(
                            tarpit.at("delay"),
                            "delay: " + Durations.text(delay),
                            "expected: " + Durations.text(LEAST_TARPIT_MICROS) + " to "
                                    + Durations.text(Rule.MOST_TARPIT_MICROS));
            return DENY;
        }
        return new OverLimit(null, delay);
    }

    /** The time in which a full bucket drains, rounded up; saturates. */
    private static long drainMicros(Limit limit) {
        BigInteger drain = BigInteger.valueOf(limit.burst())
                .multiply(BigInteger.valueOf(limit.windowMicros()))
                .add(BigInteger.valueOf(limit.requests() - 1))
                .divide(BigInteger.valueOf(Math.max(1, limit.requests())));
        return drain.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
    }

    private static @Nullable Fields part(Fields fields, String name, String example) {
        YamlNode node = fields.node(name);
        return node == null ? null : Fields.of(node, name, example, fields.problems());
    }
}
