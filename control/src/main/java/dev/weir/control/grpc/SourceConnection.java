package dev.weir.control.grpc;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.control.source.SourceAddress.Host;
import dev.weir.control.source.SourceSettings;
import dev.weir.internal.tls.Pem;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server. Each reconnect creates a new one, which reads the TLS files again: a renewed
 * certificate needs no restart.
 */
public final class SourceConnection implements AutoCloseable {
    /** The maximum size of one response. */
    private static final int MAX_BYTES = 256 << 20;

    private static final int PONG_SECONDS = 3;

    private final ManagedChannel channel;

    private SourceConnection(ManagedChannel channel) {
        this.channel = channel;
    }

    /**
     * Connects to {@code host} on first use; {@code tls} is null for plain text. Keep-alive pings every {@code ping}
     * detect a dead server. A server closes connections that ping more often than it allows.
     */
    public static SourceConnection to(Host host, SourceSettings.@Nullable Tls tls, Duration ping) throws IOException {
        ManagedChannelBuilder<?> builder = Grpc.newChannelBuilderForAddress(
                        host.name(), host.port(), tls == null ? InsecureChannelCredentials.create() : credentials(tls))
                .directExecutor()
                .disableRetry()
                .maxInboundMessageSize(MAX_BYTES)
                .keepAliveTime(ping.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(PONG_SECONDS, TimeUnit.SECONDS);
        if (tls != null && tls.serverName() != null) {
            builder.overrideAuthority(tls.serverName());
        }
        return new SourceConnection(builder.build());
    }

    private static ChannelCredentials credentials(SourceSettings.Tls tls) throws IOException {
        TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
        Path authorities = tls.authorities();
        if (authorities != null) {
            builder.trustManager(authorities.toFile());
        }
        Path certificate = tls.certificate();
        Path key = tls.key();
        if (certificate != null && key != null) {
            PrivateKey read = Pem.key(key, Pem.certificates(certificate)[0], certificate);
            builder.keyManager(
                    new ByteArrayInputStream(Files.readAllBytes(certificate)), new ByteArrayInputStream(pkcs8(read)));
        }
        return builder.build();
    }

    /** Encodes the key as PKCS #8, which gRPC expects, whatever format the file has. */
    private static byte[] pkcs8(PrivateKey key) {
        String body = Base64.getMimeEncoder().encodeToString(key.getEncoded());
        return ("-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n").getBytes(US_ASCII);
    }

    public ManagedChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
