package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The TLS settings of a port, or of all ports.
 *
 * @param clientNames the client certificate must be issued for one of them
 */
record PortTls(Setting<Path> cert, Setting<Path> key, Setting<Path> clientCa, Setting<List<String>> clientNames) {

    static final PortTls ALL_PORTS = of("", "all ports");
    static final PortTls GRPC = of("grpc_", "the gRPC port");
    static final PortTls HTTP = of("http_", "the HTTP port");
    static final PortTls ADMIN = of("admin_", "the admin port");

    static final List<Setting<?>> ALL =
            Stream.of(ALL_PORTS, GRPC, HTTP, ADMIN).flatMap(PortTls::all).toList();

    /** The settings that start with {@code prefix}; if it is empty, those for all ports. */
    static PortTls of(String prefix, String which) {
        return new PortTls(
                Setting.file(prefix + "tls_cert", "Certificate chain (PEM) of " + which + "; enables TLS."),
                Setting.file(prefix + "tls_key", "Private key (PEM, unencrypted) of that certificate."),
                Setting.file(
                        prefix + "tls_client_ca",
                        "CA bundle (PEM); callers of " + which + " must present a certificate that it has signed."),
                Setting.of(
                        prefix + "tls_client_names",
                        "NAMES",
                        "Comma-separated names; the client certificate must be issued for one of them.",
                        "",
                        "comma-separated names",
                        SettingParsers::names));
    }

    Stream<Setting<?>> all() {
        return Stream.of(cert, key, clientCa, clientNames);
    }
}
