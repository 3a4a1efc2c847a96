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
 * Follows a prefix: lists it at one revision, then watches from the next.
 *
 * <p><b>Whole.</b> etcd never splits a revision over two answers, neither of a list nor of a watch: what one transaction wrote
 * is taken in together.
 *
 * <p><b>Coalesced.</b> After a change it waits until nothing has changed for {@value #QUIET_MILLIS} ms, at most
 * {@value #LONGEST_MILLIS} ms in all: a hundred changes a second are a few sets a second, and the last is among them.
 *
 * <p><b>Sure.</b> Whatever ends a watch (an outage, a compaction, a lost leader), the next connection lists anew. So it does not
 * matter what was missed, nor that a cluster restored from a backup counts its revisions from an earlier one.
 */
public final class EtcdProtocol implements SourceProtocol {
    private static final long QUIET_MILLIS = 50;
    private static final long LONGEST_MILLIS = 250;
    private static final long ANSWER_SECONDS = 5;
    private static final long OPENING_MILLIS = 5_000;
    private static final long IDLE_MILLIS = 60_000;
    private static final int PAGE = 128;
    /** etcd allows one every 5 s. */
    private static final Duration PING = Duration.ofSeconds(10);

    private final SourceAddress.Etcd address;
    private final SourceSettings settings;

    public EtcdProtocol(SourceAddress.Etcd address, SourceSettings settings) {
        this.address = address;
        this.settings = settings;
    }

    @Override
    public void follow(int attempt, Intake intake) throws Exception {
        SourceAddress.Host host = address.hosts().get(attempt % address.hosts().size());
        try (SourceConnection connection = SourceConnection.to(host, address.tls() ? settings.tls() : null, PING)) {
            Metadata headers = EtcdApi.headers(token(connection.channel()));
            EtcdKeySpace keys = list(connection.channel(), headers);
            try (BlockingGrpcStream<WatchRequest, WatchResponse> watch =
                    new BlockingGrpcStream<>(connection.channel(), EtcdApi.WATCH, headers)) {
                watch.send(watching(keys.revision() + 1));
                opened(watch, keys);
                intake.take(keys.documents());
                watch(watch, keys, intake);
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
        return ClientCalls.blockingUnaryCall(channel, EtcdApi.AUTHENTICATE, inTime(), who)
                .getToken();
    }

    /** All keys at one revision, that of the first page. */
    private EtcdKeySpace list(Channel channel, Metadata headers) {
        Channel known = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
        EtcdKeySpace keys = new EtcdKeySpace(address.prefix());
        RangeRequest.Builder request = RangeRequest.newBuilder()
                .setKey(EtcdKeySpace.begin(address.prefix()))
                .setRangeEnd(EtcdKeySpace.end(address.prefix()))
                .setLimit(PAGE);
        RangeResponse page;
        do {
            page = ClientCalls.blockingUnaryCall(known, EtcdApi.RANGE, inTime(), request.build());
            if (request.getRevision() == 0) {
                keys.revision(page.getHeader().getRevision());
                request.setRevision(keys.revision());
            }
            page.getKvsList().forEach(keys::put);
            if (page.getKvsCount() > 0) {
                // The next key there can be is this one and a zero byte.
                byte[] last = page.getKvs(page.getKvsCount() - 1).getKey().toByteArray();
                request.setKey(ByteString.copyFrom(Arrays.copyOf(last, last.length + 1)));
            }
        } while (page.getMore() && !keys.isFull());
        keys.whole(!page.getMore());
        return keys;
    }

    private static CallOptions inTime() {
        return CallOptions.DEFAULT.withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
    }

    private WatchRequest watching(long revision) {
        return WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(EtcdKeySpace.begin(address.prefix()))
                        .setRangeEnd(EtcdKeySpace.end(address.prefix()))
                        .setStartRevision(revision))
                .build();
    }

    /** The watch stands before the list counts: from here on nothing is missed. */
    private static void opened(BlockingGrpcStream<WatchRequest, WatchResponse> watch, EtcdKeySpace keys)
            throws InterruptedException, StatusException {
        WatchResponse opened = watch.next(OPENING_MILLIS);
        if (opened == null) {
            throw Status.DEADLINE_EXCEEDED
                    .withDescription("etcd opens no watch")
                    .asException();
        }
        apply(opened, keys);
    }

    /** Until it ends; also with the first change of what was not listed to its end, which only a new list tells. */
    private static void watch(BlockingGrpcStream<WatchRequest, WatchResponse> watch, EtcdKeySpace keys, Intake intake)
            throws InterruptedException, StatusException {
        while (true) {
            WatchResponse first = watch.next(IDLE_MILLIS);
            if (first == null || !apply(first, keys)) {
                continue;
            }
            if (!keys.isWhole()) {
                throw Status.ABORTED
                        .withDescription("what was too much has changed; it is listed anew")
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
            intake.take(keys.documents());
        }
    }

    /** Applies what happened; false if nothing did. */
    private static boolean apply(WatchResponse response, EtcdKeySpace keys) throws StatusException {
        if (response.getCanceled()) {
            String why = response.getCompactRevision() > 0
                    ? "etcd has compacted what was to be watched; it is listed anew"
                    : "etcd has ended the watch: " + response.getCancelReason();
            throw Status.ABORTED.withDescription(why).asException();
        }
        response.getEventsList().forEach(keys::apply);
        return response.getEventsCount() > 0;
    }
}
