package dev.weir.control.etcd;

import com.google.protobuf.ByteString;
import dev.weir.control.etcd.proto.AuthenticateRequest;
import dev.weir.control.etcd.proto.RangeRequest;
import dev.weir.control.etcd.proto.RangeResponse;
import dev.weir.control.etcd.proto.WatchCreateRequest;
import dev.weir.control.etcd.proto.WatchRequest;
import dev.weir.control.etcd.proto.WatchResponse;
import dev.weir.control.grpc.BlockingGrpcStream;
import dev.weir.control.grpc.SourceConnection;
import dev.weir.control.source.SourceAddress;
import dev.weir.control.source.SourceProtocol;
import dev.weir.control.source.SourceSettings;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Follows a prefix in etcd: lists it at one revision, then watches from the next.
 *
 * <p><b>Atomic.</b> etcd never splits a revision over two responses, neither of a list nor of a watch. So the writes of
 * one transaction come into force together.
 *
 * <p><b>Coalesced.</b> After a change the protocol waits until nothing has changed for {@value #QUIET_MILLIS} ms, but
 * at most {@value #LONGEST_MILLIS} ms in all. A hundred changes a second become a few rule sets a second, the last
 * state among them.
 *
 * <p><b>Complete.</b> Whatever ends a watch (an outage, a compaction, a lost leader), the next connection lists
 * everything again. So missed events do not matter, and neither does a cluster restored from a backup, whose revisions
 * start from an earlier one.
 */
public final class EtcdProtocol implements SourceProtocol {
    private static final long QUIET_MILLIS = 50;
    private static final long LONGEST_MILLIS = 250;
    private static final long ANSWER_SECONDS = 5;
    private static final long OPENING_MILLIS = 5_000;
    private static final long IDLE_MILLIS = 60_000;
    private static final int PAGE = 128;
    /** The keep-alive interval; etcd allows one ping every 5 s. */
    private static final Duration PING = Duration.ofSeconds(10);

    private final SourceAddress.Etcd address;
    private final SourceSettings settings;

    public EtcdProtocol(SourceAddress.Etcd address, SourceSettings settings) {
        this.address = address;
        this.settings = settings;
    }

    @Override
    public void follow(int attempt, SnapshotListener listener) throws Exception {
        SourceAddress.Host host = address.hosts().get(attempt % address.hosts().size());
        try (SourceConnection connection = SourceConnection.to(host, address.tls() ? settings.tls() : null, PING)) {
            Metadata headers = EtcdApi.headers(token(connection.channel()));
            EtcdKeySpace keys = list(connection.channel(), headers);
            try (BlockingGrpcStream<WatchRequest, WatchResponse> watch =
                    new BlockingGrpcStream<>(connection.channel(), EtcdApi.WATCH, headers)) {
                watch.send(watchRequest(keys.revision() + 1));
                opened(watch, keys);
                listener.accept(keys.documents());
                watch(watch, keys, listener);
            }
        }
    }

    private String token(Channel channel) {
        String user = address.user() == null ? settings.login().user() : address.user();
        if (user.isEmpty()) {
            return "";
        }
        String password =
                address.password() == null ? settings.login().password().get() : address.password();
        AuthenticateRequest who = AuthenticateRequest.newBuilder()
                .setName(user)
                .setPassword(password)
                .build();
        return ClientCalls.blockingUnaryCall(channel, EtcdApi.AUTHENTICATE, withDeadline(), who)
                .getToken();
    }

    /** Lists all keys at the revision of the first page. */
    private EtcdKeySpace list(Channel channel, Metadata headers) {
        Channel authenticated =
                ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
        EtcdKeySpace keys = new EtcdKeySpace(address.prefix());
        RangeRequest.Builder request = RangeRequest.newBuilder()
                .setKey(EtcdKeySpace.begin(address.prefix()))
                .setRangeEnd(EtcdKeySpace.end(address.prefix()))
                .setLimit(PAGE);
        RangeResponse page;
        do {
            page = ClientCalls.blockingUnaryCall(authenticated, EtcdApi.RANGE, withDeadline(), request.build());
            if (request.getRevision() == 0) {
                keys.revision(page.getHeader().getRevision());
                request.setRevision(keys.revision());
            }
            page.getKvsList().forEach(keys::put);
            if (page.getKvsCount() > 0) {
                // The next possible key is this one and a zero byte.
                byte[] last = page.getKvs(page.getKvsCount() - 1).getKey().toByteArray();
                request.setKey(ByteString.copyFrom(Arrays.copyOf(last, last.length + 1)));
            }
        } while (page.getMore() && !keys.isFull());
        keys.complete(!page.getMore());
        return keys;
    }

    private static CallOptions withDeadline() {
        return CallOptions.DEFAULT.withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    private WatchRequest watchRequest(long revision) {
        return WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(EtcdKeySpace.begin(address.prefix()))
                        .setRangeEnd(EtcdKeySpace.end(address.prefix()))
                        .setStartRevision(revision))
                .build();
    }

    /** Waits until etcd has created the watch. The list is used only after that, so that no change is missed. */
    private static void opened(BlockingGrpcStream<WatchRequest, WatchResponse> watch, EtcdKeySpace keys)
            throws InterruptedException, StatusException {
        WatchResponse opened = watch.next(OPENING_MILLIS);
        if (opened == null) {
            throw Status.DEADLINE_EXCEEDED
                    .withDescription("etcd did not create the watch in time")
                    .asException();
        }
        apply(opened, keys);
    }

    /**
     * Applies events until the watch ends. If the list was incomplete, the first change ends it too, because only a new
     * list shows the rest.
     */
    private static void watch(
            BlockingGrpcStream<WatchRequest, WatchResponse> watch, EtcdKeySpace keys, SnapshotListener listener)
            throws InterruptedException, StatusException {
        while (true) {
            WatchResponse first = watch.next(IDLE_MILLIS);
            if (first == null || !apply(first, keys)) {
                continue;
            }
            if (!keys.isComplete()) {
                throw Status.ABORTED
                        .withDescription("keys of a prefix over the size limit have changed; listing again")
                        .asException();
            }
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_MILLIS);
            boolean quiet = false;
            while (!quiet) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                WatchResponse next = left <= 0 ? null : watch.next(Math.min(QUIET_MILLIS, left));
                quiet = next == null;
                if (next != null) {
                    apply(next, keys);
                }
            }
            listener.accept(keys.documents());
        }
    }

    /** Applies the events of a response; returns false if it has none. */
    private static boolean apply(WatchResponse response, EtcdKeySpace keys) throws StatusException {
        if (response.getCanceled()) {
            String why = response.getCompactRevision() > 0
                    ? "etcd has compacted the watched revision; listing again"
                    : "etcd ended the watch: " + response.getCancelReason();
            throw Status.ABORTED.withDescription(why).asException();
        }
        response.getEventsList().forEach(keys::apply);
        return response.getEventsCount() > 0;
    }
}
