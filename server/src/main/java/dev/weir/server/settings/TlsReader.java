package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what each port is to know of TLS. What is set for a port alone goes before what is set for all; certificate and key are
 * a pair and come from the same place.
 */
final class TlsReader {
    private final Map<String, GivenValue> given;
    private final List<String> problems;
    private final Reading reading;

    /** Reads a setting; null where nobody set it, or it cannot be what it is set to. */
    interface Reading {
        <T> @Nullable T of(Setting<T> setting);
    }

    TlsReader(Map<String, GivenValue> given, List<String> problems, Reading reading) {
        this.given = given;
        this.problems = problems;
        this.reading = reading;
    }

    Settings.TlsPorts read() {
        Stage all = stage(PortTls.EVERY);
        Settings.TlsPorts ports =
                new Settings.TlsPorts(port(PortTls.GRPC, all), port(PortTls.HTTP, all), port(PortTls.ADMIN, all));
        if (all.certificate == null) {
            needs(PortTls.EVERY.clientCa(), PortTls.EVERY.cert());
        }
        if (all.authorities == null) {
            needs(PortTls.EVERY.clientNames(), PortTls.EVERY.clientCa());
        }
        return ports;
    }

    private record Stage(
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable Path authorities,
            @Nullable List<String> names) {}

    private Stage stage(PortTls settings) {
        needs(settings.cert(), settings.key());
        needs(settings.key(), settings.cert());
        return new Stage(
                reading.of(settings.cert()),
                reading.of(settings.key()),
                reading.of(settings.clientCa()),
                reading.of(settings.clientNames()));
    }

    private Settings.@Nullable Tls port(PortTls settings, Stage all) {
        Stage own = stage(settings);
        boolean pair = own.certificate != null && own.key != null;
        Path certificate = pair ? own.certificate : all.certificate;
        Path key = pair ? own.key : all.key;
        Path authorities = own.authorities == null ? all.authorities : own.authorities;
        List<String> names = own.names == null ? all.names : own.names;
        if (authorities == null) {
            needs(settings.clientNames(), settings.clientCa());
        }
        if (certificate == null || key == null) {
            needs(settings.clientCa(), settings.cert());
            return null;
        }
        return new Settings.Tls(certificate, key, authorities, names == null ? List.of() : names);
    }

    /** Whoever sets the one and not the other would get something else than they think. */
    private void needs(Setting<?> setting, Setting<?> other) {
        GivenValue said = given.get(setting.name());
        if (said != null && !given.containsKey(other.name())) {
            problems.add(said.where() + ": without " + other.name() + " (expected: both)");
        }
    }
}
