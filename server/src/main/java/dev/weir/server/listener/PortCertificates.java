package dev.weir.server.listener;

import dev.weir.server.grpc.GrpcServerSettings;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;
import dev.weir.server.tls.ReloadableTlsIdentity;
import dev.weir.server.tls.TlsIdentity;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The certificates of the three ports: read at the start, and reloaded when their files change. */
public final class PortCertificates {
    private final @Nullable ReloadableTlsIdentity grpc;
    private final @Nullable AtomicReference<SslContext> grpcContext;
    private final @Nullable ReloadableTlsIdentity http;
    private final @Nullable ReloadableTlsIdentity admin;

    /** Reads the certificates and watches their files with {@code watch}. */
    public PortCertificates(Settings.TlsPorts ports, FileWatcher watch) throws StartException {
        grpc = read("grpc", "gRPC", ports.grpc(), watch);
        http = read("http", "HTTP", ports.http(), watch);
        admin = read("admin", "admin", ports.admin(), watch);
        grpcContext = grpc == null ? null : reloadableContext(grpc);
    }

    private static @Nullable ReloadableTlsIdentity read(
            String port, String shown, Settings.@Nullable Tls files, FileWatcher watch) throws StartException {
        if (files == null) {
            return null;
        }
        FileWatcher.Seen seen = FileWatcher.seen(files.all());
        try {
            ReloadableTlsIdentity identity = ReloadableTlsIdentity.of(port, files);
            watch.add(seen, identity::reload);
            return identity;
        } catch (IOException e) {
            throw new StartException(shown + ": cannot set up TLS: " + e.getMessage(), e);
        }
    }

    /** {@code plain} with TLS, if the gRPC port has a certificate. */
    public GrpcServerSettings with(GrpcServerSettings plain) {
        AtomicReference<SslContext> current = grpcContext;
        return current == null ? plain : plain.with(() -> Objects.requireNonNull(current.get()));
    }

    private static AtomicReference<SslContext> reloadableContext(ReloadableTlsIdentity grpc) throws StartException {
        try {
            AtomicReference<SslContext> current = new AtomicReference<>(GrpcTls.of(grpc.current()));
            grpc.onChange(identity -> current.set(context(identity)));
            return current;
        } catch (IOException e) {
            throw new StartException("gRPC: cannot set up TLS: " + e.getMessage(), e);
        }
    }

    private static SslContext context(TlsIdentity identity) {
        try {
            return GrpcTls.of(identity);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    ReloadableTlsIdentity http() {
        return http;
    }

    @Nullable
    ReloadableTlsIdentity admin() {
        return admin;
    }

    public void addTo(ServerMetrics metrics) {
        all().forEach(each -> metrics.gauge(
                        "ratelimit.certificate.expiry.seconds",
                        "Seconds until the certificate of a port expires; negative after that.",
                        () -> each.left().toSeconds(),
                        "port",
                        each.port())
                .counter(
                        "ratelimit.certificate.reloads",
                        "Reloads of a port's certificate, by outcome.",
                        each::taken,
                        "port",
                        each.port(),
                        "outcome",
                        "taken")
                .counter(
                        "ratelimit.certificate.reloads",
                        "Reloads of a port's certificate, by outcome.",
                        each::refused,
                        "port",
                        each.port(),
                        "outcome",
                        "refused"));
    }

    private Stream<ReloadableTlsIdentity> all() {
        return Stream.of(grpc, http, admin).filter(Objects::nonNull).map(Objects::requireNonNull);
    }
}
