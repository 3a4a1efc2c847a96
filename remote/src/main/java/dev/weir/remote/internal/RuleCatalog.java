package dev.weir.remote.internal;

import dev.weir.RuleSet;
import dev.weir.StoreFailure;
import dev.weir.internal.ruleset.OutlineMessage;
import dev.weir.internal.ruleset.ServedRules;
import java.io.ByteArrayOutputStream;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the server, as far as it tells them. They are asked for again every few seconds, because they change there; a server
 * that has the same rules still answers with an empty message.
 */
final class RuleCatalog {
    private static final System.Logger LOG = System.getLogger("dev.weir.remote");
    private static final int CHECKSUM = 1 << 3;
    /** Rules that are known are asked for once in as many rounds. */
    private static final int ROUNDS = 5;

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final AtomicBoolean told = new AtomicBoolean();
    private volatile @Nullable ServedRules rules;
    private volatile byte[] known = {};
    private int round;

    /** The rules; null while the server has not told them. */
    @Nullable
    ServedRules rules() {
        return rules;
    }

    /** Asks again if it is time to; called every second by one thread. Tells {@code changed} of rules that are new. */
    void refresh(ServerBreaker server, Consumer<RuleSet> changed) {
        if (rules == null || ++round % ROUNDS == 0) {
            var unused = ask(server, TIMEOUT_NANOS).thenAccept(next -> next.ifPresent(changed));
        }
    }

    /**
     * Asks a server; completes with rules that are new when it has answered or failed, or after the timeout at the
     * latest. The thread that completes it reads from the network: it must not wait for the caller.
     */
    CompletableFuture<Optional<RuleSet>> ask(ServerBreaker server, long timeoutNanos) {
        CompletableFuture<Optional<RuleSet>> asked = new CompletableFuture<>();
        server.channel().rules(known, timeoutNanos, new GrpcChannel.Answer() {
            @Override
            public void answered(byte[] message) {
                server.succeeded();
                Optional<RuleSet> next = Optional.empty();
                try {
                    next = message.length == 0 ? next : Optional.of(replace(message));
                } catch (IllegalArgumentException e) {
                    tell("the server told its rules in a way that this client cannot read: " + e.getMessage());
                } finally {
                    asked.complete(next);
                }
            }

            @Override
            public void failed(StoreFailure failure, @Nullable String refused) {
                if (failure == StoreFailure.BROKEN) {
                    tell("the server does not tell its rules (expected: a Weir server of this client's version)");
                } else {
                    server.failed(failure);
                }
                asked.complete(Optional.empty());
            }
        });
        return asked.completeOnTimeout(Optional.empty(), timeoutNanos, TimeUnit.NANOSECONDS);
    }

    private RuleSet replace(byte[] message) {
        ServedRules next = OutlineMessage.read(message);
        known = checksum(message);
        rules = next;
        return next;
    }

    private static byte[] checksum(byte[] message) {
        CRC32 sum = new CRC32();
        sum.update(message);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(CHECKSUM);
        long rest = sum.getValue();
        while (rest > 0x7F) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return out.toByteArray();
    }

    private void tell(String problem) {
        if (told.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, problem);
        }
    }
}
