package dev.weir.server.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What can be set of TLS on a port, or on all of them.
 *
 * @param clientNames one of which a caller's certificate must carry
 */
record PortTls(Setting<Path> cert, Setting<Path> key, Setting<Path> clientCa, Setting<List<String>> clientNames) {

    static final PortTls EVERY = of("", "all ports");
    static final PortTls GRPC = of("grpc_", "the gRPC port");
    static final PortTls HTTP = of("http_", "the HTTP port");
    static final PortTls ADMIN = of("admin_", "the admin port");

    static final List<Setting<?>> ALL =
            Stream.of(EVERY, GRPC, HTTP, ADMIN).flatMap(PortTls::all).toList();

    /** The settings that begin with {@code prefix}: those of all ports where it is empty. */
    static PortTls of(String prefix, String which) {
        return new PortTls(
                Setting.file(
                        prefix + "tls_cert",
                        "Certificate of " + which + ", and the chain behind it, in PEM: with it, TLS is spoken."),
                Setting.file(prefix + "tls_key", "Private key of that certificate, in PEM, not encrypted."),
                Setting.file(
                        prefix + "tls_client_ca",
                        "Authorities in PEM; with it, callers of " + which
                                + " must show a certificate that one has signed."),
                Setting.of(
                        prefix + "tls_client_names",
                        "NAMES",
                        "Names, with commas between; a caller's certificate must be for one of them.",
                        "",
                        "names with commas between",
                        SettingParsers::names));
    }

    Stream<Setting<?>> all() {
        return Stream.of(cert, key, clientCa, clientNames);
    }
}
