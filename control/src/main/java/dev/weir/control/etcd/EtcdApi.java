package dev.weir.control.etcd;

import com.google.protobuf.Message;
import dev.weir.control.etcd.proto.AuthenticateRequest;
import dev.weir.control.etcd.proto.AuthenticateResponse;
import dev.weir.control.etcd.proto.RangeRequest;
import dev.weir.control.etcd.proto.RangeResponse;
import dev.weir.control.etcd.proto.WatchRequest;
import dev.weir.control.etcd.proto.WatchResponse;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;

/** The calls of etcd's API that Weir makes, and their headers. */
final class EtcdApi {
    static final MethodDescriptor<AuthenticateRequest, AuthenticateResponse> AUTHENTICATE = method(
            "etcdserverpb.Auth/Authenticate",
            MethodType.UNARY,
            AuthenticateRequest.getDefaultInstance(),
            AuthenticateResponse.getDefaultInstance());
    static final MethodDescriptor<RangeRequest, RangeResponse> RANGE = method(
            "etcdserverpb.KV/Range",
            MethodType.UNARY,
            RangeRequest.getDefaultInstance(),
            RangeResponse.getDefaultInstance());
    static final MethodDescriptor<WatchRequest, WatchResponse> WATCH = method(
            "etcdserverpb.Watch/Watch",
            MethodType.BIDI_STREAMING,
            WatchRequest.getDefaultInstance(),
            WatchResponse.getDefaultInstance());

    private static final Metadata.Key<String> TOKEN = key("token");
    private static final Metadata.Key<String> HAS_LEADER = key("hasleader");

    private EtcdApi() {}

    /**
     * Returns the headers of a call; {@code token} is empty without authentication. With {@code hasleader}, a member
     * without a leader ends the call, and Weir asks another member.
     */
    static Metadata headers(String token) {
        Metadata headers = new Metadata();
        headers.put(HAS_LEADER, "true");
        if (!token.isEmpty()) {
            headers.put(TOKEN, token);
        }
        return headers;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, MethodType type, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName(name)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }
}
