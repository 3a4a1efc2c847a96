package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the TLS settings of each port. A setting of one port overrides the one for all ports. Certificate and key are a
 * pair and come from the same level.
 */
final class TlsReader {
    private final Map<String, GivenValue> given;
    private final List<String> problems;
    private final Reading reading;

    /** Reads a setting; null if it is not given or invalid. */
    interface Reading {
        <T> @Nullable T of(Setting<T> setting);
    }

    TlsReader(Map<String, GivenValue> given, List<String> problems, Reading reading) {
        this.given = given;
        this.problems = problems;
        this.reading = reading;
    }

    Settings.TlsPorts read() {
        Files all = files(PortTls.ALL_PORTS);
        Settings.TlsPorts ports =
                new Settings.TlsPorts(port(PortTls.GRPC, all), port(PortTls.HTTP, all), port(PortTls.ADMIN, all));
        if (all.certificate == null) {
            needs(PortTls.ALL_PORTS.clientCa(), PortTls.ALL_PORTS.cert());
        }
        if (all.authorities == null) {
            needs(PortTls.ALL_PORTS.clientNames(), PortTls.ALL_PORTS.clientCa());
        }
        return ports;
    }

    private record Files(
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable Path authorities,
            @Nullable List<String> names) {}

    private Files files(PortTls settings) {
        needs(settings.cert(), settings.key());
        needs(settings.key(), settings.cert());
        return new Files(
                reading.of(settings.cert()),
                reading.of(settings.key()),
                reading.of(settings.clientCa()),
                reading.of(settings.clientNames()));
    }

    private Settings.@Nullable Tls port(PortTls settings, Files all) {
        Files own = files(settings);
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

    /** Requires {@code other} if {@code setting} is given. */
    private void needs(Setting<?> setting, Setting<?> other) {
        GivenValue value = given.get(setting.name());
        if (value != null && !given.containsKey(other.name())) {
            problems.add(value.where() + ": without " + other.name() + " (expected: both)");
        }
    }
}
