package dev.weir.server.replay;

import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.control.decisions.IdentityHash;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.server.replay.input.AttributeMapping;
import dev.weir.server.replay.input.TrafficInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Plays rules that are not in force yet on the last requests that this server recorded, beside the rules that are.
 *
 * <h2>Bounds</h2>
 *
 * <p>One trial runs at a time. It reads {@value #MOST_BYTES} bytes, keeps {@value #MOST_KEYS} counters for each set of rules,
 * takes a few seconds, and rests as long as it works, so that it takes half of a core at most.
 */
public final class RuleTrial {
    private static final long MOST_BYTES = 16 << 20;
    private static final int MOST_KEYS = 1 << 16;
    private static final long MOST_BLOCK_BYTES = 4 << 20;
    private static final int MOST_RULES = 20_000;
    private static final Duration MOST_TIME = Duration.ofSeconds(4);
    /** Requests between two looks at the clock. */
    private static final int TURN = 64;

    private final @Nullable Path file;
    private final IdentityHash hash;
    private final EndpointForm form;
    private final Duration mostTime;
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * Creates trials.
     *
     * @param decisions where this server records requests, if it does
     * @param form the spelling of endpoints by which the server compares
     */
    public RuleTrial(DecisionSinkSettings decisions, EndpointForm form) {
        this(decisions, form, MOST_TIME);
    }

    /** Creates trials that take {@code mostTime} at most. */
    RuleTrial(DecisionSinkSettings decisions, EndpointForm form, Duration mostTime) {
        this.mostTime = mostTime;
        DecisionSinkSettings.File written = decisions.file();
        this.file =
                decisions.requests() == DecisionSinkSettings.Requests.NONE || written == null ? null : written.path();
        this.hash = new IdentityHash(decisions.secret());
        this.form = form;
    }

    /** Whether this server records requests in a file. */
    public boolean isPossible() {
        return file != null;
    }

    /**
     * Plays the last requests by {@code now} and by {@code before}. It blocks.
     *
     * @return the result; null while another trial runs
     * @throws ReplayException if the rules cannot be played on them, or there are none
     */
    public @Nullable ReplayResult play(WrittenRules before, WrittenRules now) throws IOException, ReplayException {
        Path recorded = file;
        if (recorded == null) {
            throw new ReplayException(
                    "this server records no requests (expected: decisions_file, and decisions_requests"
                            + " all or sample)");
        }
        if (now.rules().size() > MOST_RULES) {
            throw new ReplayException("there are " + now.rules().size() + " rules (expected: at most " + MOST_RULES
                    + ", or weir replay beside the server)");
        }
        if (!running.compareAndSet(false, true)) {
            return null;
        }
        try (TrafficInput input = new TrafficInput("recorded", new AttributeMapping("", Map.of(), null))) {
            if (Files.exists(recorded)) {
                input.addTail(recorded, MOST_BYTES);
            }
            ReplayResult result =
                    new ReplayRun(input, run("now", now), run("before", before), null, hash).run(new Pace(mostTime));
            if (result.totals().lines() == 0) {
                throw new ReplayException("this server has recorded no request in " + recorded + " yet");
            }
            return result;
        } finally {
            running.set(false);
        }
    }

    private RuleSetRun run(String name, WrittenRules rules) {
        return new RuleSetRun(name, rules, form, hash, new MemoryStore(MOST_KEYS, MOST_BLOCK_BYTES));
    }

    /** Rests as long as it worked, until the time is over. */
    private static final class Pace implements BooleanSupplier {
        private final long end;
        private long working = System.nanoTime();
        private int played;

        Pace(Duration mostTime) {
            end = working + mostTime.toNanos();
        }

        @Override
        public boolean getAsBoolean() {
            if (++played % TURN != 0) {
                return true;
            }
            long now = System.nanoTime();
            if (now - working > TimeUnit.MILLISECONDS.toNanos(1)) {
                LockSupport.parkNanos(now - working);
                working = System.nanoTime();
            }
            return now - end < 0;
        }
    }
}
