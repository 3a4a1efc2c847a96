package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the TLS settings of each port. A setting of one port overrides the one for all ports. Certificate and key are a
 * pair and come from the same level.
 */
final class TlsReader {
    private final SettingsReader reader;

    TlsReader(SettingsReader reader) {
        this.reader = reader;
    }

    Settings.TlsPorts read() {
        Files all = files(PortTls.ALL_PORTS);
        Settings.TlsPorts ports =
                new Settings.TlsPorts(port(PortTls.GRPC, all), port(PortTls.HTTP, all), port(PortTls.ADMIN, all));
        if (all.certificate == null) {
            reader.needs(PortTls.ALL_PORTS.clientCa(), PortTls.ALL_PORTS.cert());
        }
        if (all.authorities == null) {
            reader.needs(PortTls.ALL_PORTS.clientNames(), PortTls.ALL_PORTS.clientCa());
        }
        return ports;
    }

    private record Files(
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable Path authorities,
            @Nullable List<String> names) {}

    private Files files(PortTls settings) {
        reader.needs(settings.cert(), settings.key());
        reader.needs(settings.key(), settings.cert());
        return new Files(
                reader.orNull(settings.cert()),
                reader.orNull(settings.key()),
                reader.orNull(settings.clientCa()),
                reader.orNull(settings.clientNames()));
    }

    private Settings.@Nullable Tls port(PortTls settings, Files all) {
        Files own = files(settings);
        boolean pair = own.certificate != null && own.key != null;
        Path certificate = pair ? own.certificate : all.certificate;
        Path key = pair ? own.key : all.key;
        Path authorities = own.authorities == null ? all.authorities : own.authorities;
        List<String> names = own.names == null ? all.names : own.names;
        if (authorities == null) {
            reader.needs(settings.clientNames(), settings.clientCa());
        }
        if (certificate == null || key == null) {
            reader.needs(settings.clientCa(), settings.cert());
            return null;
        }
        return new Settings.Tls(certificate, key, authorities, names == null ? List.of() : names);
    }
}
