package dev.weir.server.grpc.http2;

import dev.weir.server.grpc.protocol.GrpcMethod;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request, reduced to what this server needs. Netty's HPACK decoder adds the fields one by one. Only a
 * few numbers are stored, and the object is reused for later heads.
 *
 * <p>It replaces Netty's map of headers, so it must make the same checks: names are lower-case tokens, and known
 * pseudo-headers occur once. The decoder itself checks their order and refuses headers of HTTP/1.1.
 */
public final class RequestHead extends DefaultHttp2Headers {
    static final long NO_TIMEOUT = -1;
    public static final long BAD_TIMEOUT = -2;
    public static final long NO_LENGTH = -1;
    /** A stream keeps no longer one; those of today have 55 characters. */
    private static final int MOST_TRACE_PARENT = 128;
    /** A longer name of an Envoy is not kept. */
    private static final int MOST_NODE = 128;

    private static final int SEEN_METHOD = 1;
    private static final int SEEN_SCHEME = 2;
    private static final int SEEN_PATH = 4;
    private static final int SEEN_AUTHORITY = 8;
    private static final int SEEN_NEEDED = SEEN_METHOD | SEEN_SCHEME | SEEN_PATH;

    private static final AsciiString METHOD = AsciiString.cached(":method");
    private static final AsciiString SCHEME = AsciiString.cached(":scheme");
    private static final AsciiString PATH = AsciiString.cached(":path");
    private static final AsciiString AUTHORITY = AsciiString.cached(":authority");
    private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    private static final AsciiString TRACE_PARENT = AsciiString.cached("traceparent");
    private static final AsciiString ENVOY_NODE = AsciiString.cached("x-envoy-node");
    private static final AsciiString TIMEOUT = AsciiString.cached("grpc-timeout");
    private static final AsciiString ENCODING = AsciiString.cached("grpc-encoding");
    private static final AsciiString WEIR_CLIENT = AsciiString.cached("x-weir-client");
    private static final AsciiString WEIR_CLIENT_VERSION = AsciiString.cached("1");
    private static final AsciiString POST = AsciiString.cached("POST");
    private static final AsciiString HEAD = AsciiString.cached("HEAD");
    private static final AsciiString IDENTITY = AsciiString.cached("identity");
    private static final AsciiString GRPC = AsciiString.cached("application/grpc");
    private static final AsciiString GRPC_PROTO = AsciiString.cached("application/grpc+proto");

    private int seen;
    private int fields;
    private boolean post;
    private boolean bodiless;
    private boolean grpc;
    private boolean plain;
    private boolean weirClient;
    private GrpcMethod call = GrpcMethod.UNKNOWN;
    private long timeoutMicros;
    private @Nullable CharSequence traceParent;
    private @Nullable CharSequence envoyNode;
    private long contentLength;
    private @Nullable String fault;

    RequestHead() {
        super(false);
        begin();
    }

    /** Clears the last head. */
    RequestHead begin() {
        seen = 0;
        fields = 0;
        post = false;
        bodiless = false;
        grpc = false;
        plain = true;
        weirClient = false;
        call = GrpcMethod.UNKNOWN;
        timeoutMicros = NO_TIMEOUT;
        traceParent = null;
        envoyNode = null;
        contentLength = NO_LENGTH;
        fault = null;
        return this;
    }

    /** The reason why this is not a valid request head, or null. */
    @Nullable
    public String fault() {
        if (fault == null && (seen & SEEN_NEEDED) != SEEN_NEEDED) {
            return "a request needs :method, :scheme and :path";
        }
        return fault;
    }

    /** The reason why these are not valid trailers, or null. */
    @Nullable
    public String faultOfTrailers() {
        return seen == 0 ? null : "pseudo-header in trailers";
    }

    public boolean post() {
        return post;
    }

    /** Whether the answer must not have a body. */
    public boolean bodiless() {
        return bodiless;
    }

    /** Whether the content type is gRPC with protobuf messages. */
    public boolean grpc() {
        return grpc;
    }

    /** Whether the messages are not compressed. */
    public boolean plain() {
        return plain;
    }

    /** Whether the caller is {@code weir-remote}, which wants all that a decision says. */
    public boolean weirClient() {
        return weirClient;
    }

    public GrpcMethod call() {
        return call;
    }

    /** The caller's timeout, {@link #NO_TIMEOUT} or {@link #BAD_TIMEOUT}. */
    public long timeoutMicros() {
        return timeoutMicros;
    }

    public long contentLength() {
        return contentLength;
    }

    /** The caller's {@code traceparent}, unchecked; null if there is none, or if it is too long. */
    @Nullable
    public CharSequence traceParent() {
        return traceParent;
    }

    /** The name that an Envoy gives itself; null if there is none, or if it is too long. */
    @Nullable
    public CharSequence envoyNode() {
        return envoyNode;
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        fields++;
        switch (name.length()) {
            case 5 -> {
                if (PATH.contentEquals(name)) {
                    once(SEEN_PATH, name);
                    takePath(value);
                    return this;
                }
            }
            case 7 -> {
                if (METHOD.contentEquals(name)) {
                    once(SEEN_METHOD, name);
                    post = POST.contentEquals(value);
                    bodiless = HEAD.contentEquals(value);
                    return this;
                }
                if (SCHEME.contentEquals(name)) {
                    once(SEEN_SCHEME, name);
                    return this;
                }
            }
            case 10 -> {
                if (AUTHORITY.contentEquals(name)) {
                    once(SEEN_AUTHORITY, name);
                    validate(name, value);
                    return this;
                }
            }
            case 11 -> {
                if (TRACE_PARENT.contentEquals(name)) {
                    validate(name, value);
                    traceParent = value.length() <= MOST_TRACE_PARENT ? value : null;
                    return this;
                }
            }
            case 12 -> {
                if (CONTENT_TYPE.contentEquals(name)) {
                    grpc = isGrpc(value);
                    return this;
                }
                if (TIMEOUT.contentEquals(name)) {
                    timeoutMicros = GrpcTimeout.micros(value);
                    return this;
                }
                if (ENVOY_NODE.contentEquals(name)) {
                    validate(name, value);
                    envoyNode = value.length() <= MOST_NODE ? value : null;
                    return this;
                }
            }
            case 13 -> {
                if (ENCODING.contentEquals(name)) {
                    plain = IDENTITY.contentEquals(value);
                    return this;
                }
                if (WEIR_CLIENT.contentEquals(name)) {
                    weirClient = WEIR_CLIENT_VERSION.contentEquals(value);
                    validate(name, value);
                    return this;
                }
            }
            case 14 -> {
                if (CONTENT_LENGTH.contentEquals(name)) {
                    length(value);
                    return this;
                }
            }
            default -> {}
        }
        other(name, value);
        return this;
    }

    @Override
    public int size() {
        return fields;
    }

    private void once(int bit, CharSequence name) {
        if ((seen & bit) != 0) {
            throw new IllegalArgumentException("duplicate " + name);
        }
        seen |= bit;
    }

    private void takePath(CharSequence value) {
        if (value.length() == 0) {
            fault = "empty :path";
        }
        call = GrpcMethod.of(value);
    }

    private void length(CharSequence value) {
        long length = 0;
        for (int i = 0; i < value.length(); i++) {
            int digit = value.charAt(i) - '0';
            if (digit < 0 || digit > 9 || length > Long.MAX_VALUE / 10 - 1) {
                fault = "content-length is not a number";
                return;
            }
            length = length * 10 + digit;
        }
        if (value.length() == 0 || (contentLength != NO_LENGTH && contentLength != length)) {
            fault = "content-length is not a number";
        }
        contentLength = length;
    }

    private static boolean isGrpc(CharSequence value) {
        int end = AsciiString.indexOf(value, ';', 0);
        CharSequence type = end < 0 ? value : AsciiString.trim(value.subSequence(0, end));
        return GRPC.contentEqualsIgnoreCase(type) || GRPC_PROTO.contentEqualsIgnoreCase(type);
    }

    private static void other(CharSequence name, CharSequence value) {
        if (name.length() == 0 || name.charAt(0) == ':') {
            throw new IllegalArgumentException("unknown pseudo-header or empty name");
        }
        for (int i = 0; i < name.length(); i++) {
            if (AsciiString.isUpperCase(name.charAt(i))) {
                throw new IllegalArgumentException("upper case in a header name");
            }
        }
        if (HttpHeaderValidationUtil.validateToken(name) != -1) {
            throw new IllegalArgumentException("illegal character in a header name");
        }
        validate(name, value);
    }

    private static void validate(CharSequence name, CharSequence value) {
        if (HttpHeaderValidationUtil.validateValidHeaderValue(value) != -1) {
            throw new IllegalArgumentException("illegal character in the value of " + name);
        }
    }
}
