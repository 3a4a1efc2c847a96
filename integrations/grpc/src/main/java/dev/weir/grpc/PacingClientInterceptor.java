package dev.weir.grpc;

import dev.weir.client.PacedCall;
import dev.weir.client.Pacer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Paces the calls of a client with a {@link Pacer}: it reads the {@code ratelimit} metadata of {@link
 * WeirServerInterceptor}, and waits as a refusal says. It retries nothing; that is for gRPC's own retry policy.
 *
 * <p>{@code start} waits for its turn on the calling thread, so do not use it on an event loop. A call whose turn does not
 * come in time ends with {@code RESOURCE_EXHAUSTED} without being sent.
 */
public final class PacingClientInterceptor implements ClientInterceptor {
    private static final Metadata.Key<String> PUSHBACK =
            Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
    private static final Duration UNKNOWN = Duration.ofSeconds(-1);

    private final Pacer pacer;

    /** Paces with {@code pacer}. */
    public PacingClientInterceptor(Pacer pacer) {
        this.pacer = Objects.requireNonNull(pacer, "pacer");
    }

    @Override
    public <A, B> ClientCall<A, B> interceptCall(MethodDescriptor<A, B> method, CallOptions options, Channel next) {
        return new PacedClientCall<>(next.newCall(method, options), "grpc://" + next.authority());
    }

    /** A call that waits for its turn before it starts. If the turn does not come, nothing is sent. */
    private final class PacedClientCall<A, B> extends SimpleForwardingClientCall<A, B> {
        private final String origin;
        private boolean late;

        PacedClientCall(ClientCall<A, B> call, String origin) {
            super(call);
            this.origin = origin;
        }

        @Override
        public void start(Listener<B> listener, Metadata headers) {
            PacedCall paced = pacer.begin(origin);
            String reason = await(paced, origin);
            if (reason == null) {
                paced.sent();
                super.start(new LearningListener<>(listener, paced), headers);
                return;
            }
            late = true;
            paced.failed();
            listener.onClose(Status.RESOURCE_EXHAUSTED.withDescription(reason), new Metadata());
        }

        @Override
        public void request(int messages) {
            if (!late) {
                super.request(messages);
            }
        }

        @Override
        public void sendMessage(A message) {
            if (!late) {
                super.sendMessage(message);
            }
        }

        @Override
        public void halfClose() {
            if (!late) {
                super.halfClose();
            }
        }

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            if (!late) {
                super.cancel(message, cause);
            }
        }
    }

    /** Waits for the turn of a call; returns the reason if it does not come in time. */
    private static @Nullable String await(PacedCall paced, String origin) {
        try {
            for (Duration wait = paced.delay(); !wait.isZero(); wait = paced.delay()) {
                if (paced.isOverdue()) {
                    return "the limits of " + origin + " leave no room for this call in time";
                }
                TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            }
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted while waiting for its turn";
        }
    }

    /** Tells the pacer what the answer says, once. */
    private static final class LearningListener<B> extends SimpleForwardingClientCallListener<B> {
        private final PacedCall paced;
        private boolean told;

        LearningListener(ClientCall.Listener<B> listener, PacedCall paced) {
            super(listener);
            this.paced = paced;
        }

        @Override
        public void onHeaders(Metadata headers) {
            if (!told) {
                told = true;
                paced.answered(200, name -> values(headers, name));
            }
            super.onHeaders(headers);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (!told) {
                told = true;
                tell(status, trailers);
            }
            super.onClose(status, trailers);
        }

        private void tell(Status status, Metadata trailers) {
            switch (status.getCode()) {
                case RESOURCE_EXHAUSTED -> {
                    Duration wait = pushback(trailers);
                    if (wait.isNegative()) {
                        paced.answered(429, name -> values(trailers, name));
                    } else {
                        paced.refused(wait, name -> values(trailers, name));
                    }
                }
                case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> paced.failed();
                default -> paced.answered(200, name -> values(trailers, name));
            }
        }

        private static Duration pushback(Metadata trailers) {
            String text = trailers.get(PUSHBACK);
            if (text == null
                    || text.isEmpty()
                    || text.length() > 9
                    || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return UNKNOWN;
            }
            return Duration.ofMillis(Long.parseLong(text));
        }

        private static List<String> values(Metadata metadata, String name) {
            Iterable<String> all =
                    metadata.getAll(Metadata.Key.of(name.toLowerCase(Locale.ROOT), Metadata.ASCII_STRING_MARSHALLER));
            List<String> values = new ArrayList<>();
            if (all != null) {
                all.forEach(values::add);
            }
            return values;
        }
    }
}
