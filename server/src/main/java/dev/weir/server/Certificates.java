package dev.weir.server;

import dev.weir.server.grpc.LaneSettings;
import dev.weir.server.grpc.LaneTls;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;
import dev.weir.server.tls.Identity;
import dev.weir.server.tls.LiveIdentity;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the three ports show of themselves: read at the start, watched from then on. */
final class Certificates {
    private final @Nullable LiveIdentity grpc;
    private final @Nullable LiveIdentity http;
    private final @Nullable LiveIdentity admin;

    /** Reads them, and has {@code watch} watch them. */
    Certificates(Settings.TlsPorts ports, FileWatch watch) throws StartException {
        grpc = read("grpc", "gRPC", ports.grpc(), watch);
        http = read("http", "HTTP", ports.http(), watch);
        admin = read("admin", "The admin port", ports.admin(), watch);
    }

    private static @Nullable LiveIdentity read(String port, String shown, Settings.@Nullable Tls files, FileWatch watch)
            throws StartException {
        if (files == null) {
            return null;
        }
        FileWatch.Seen seen = FileWatch.seen(files.all());
        try {
            LiveIdentity live = LiveIdentity.of(port, files);
            watch.add(seen, live::reload);
            return live;
        } catch (IOException e) {
            throw new StartException(shown + " cannot speak TLS: " + e.getMessage(), e);
        }
    }

    /** The lane's settings with TLS, if it is to speak it. */
    LaneSettings with(LaneSettings plain) throws StartException {
        LiveIdentity live = grpc;
        if (live == null) {
            return plain;
        }
        try {
            AtomicReference<SslContext> current = new AtomicReference<>(LaneTls.of(live.current()));
            live.onChange(identity -> current.set(context(identity)));
            return plain.with(() -> Objects.requireNonNull(current.get()));
        } catch (IOException e) {
            throw new StartException("gRPC cannot speak TLS: " + e.getMessage(), e);
        }
    }

    private static SslContext context(Identity identity) {
        try {
            return LaneTls.of(identity);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    LiveIdentity http() {
        return http;
    }

    @Nullable
    LiveIdentity admin() {
        return admin;
    }

    void addTo(ServerMetrics metrics) {
        all().forEach(each -> metrics.gauge(
                        "weir.certificate.expiry.seconds",
                        "Seconds until the certificate of a port runs out; negative after that.",
                        () -> each.left().toSeconds(),
                        "port",
                        each.port())
                .counter(
                        "weir.certificate.reloads",
                        "New files of a port's certificate, by whether they could be used.",
                        each::taken,
                        "port",
                        each.port(),
                        "outcome",
                        "taken")
                .counter(
                        "weir.certificate.reloads",
                        "New files of a port's certificate, by whether they could be used.",
                        each::refused,
                        "port",
                        each.port(),
                        "outcome",
                        "refused"));
    }

    private Stream<LiveIdentity> all() {
        return Stream.of(grpc, http, admin).filter(Objects::nonNull).map(Objects::requireNonNull);
    }
}
