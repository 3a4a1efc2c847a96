package dev.weir.redis.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate that signs itself, for 127.0.0.1 and localhost, and its key: made by the JDK's own keytool. */
public record PemFiles(Path certificate, Path key) {
    private static final String PASSWORD = "password";
    private static final String TWO_DAYS = "2";

    public static PemFiles in(Path folder, String name) throws IOException, GeneralSecurityException {
        return in(folder, name, "EC", "-groupname", "secp256r1");
    }

    /** Creates a certificate that expires in {@code days}. */
    public static PemFiles validFor(Path folder, String name, int days) throws IOException, GeneralSecurityException {
        return in(folder, name, String.valueOf(days), "EC", "-groupname", "secp256r1");
    }

    /** Creates files with another kind of key: keytool's algorithm and the option for its size. */
    public static PemFiles in(Path folder, String name, String algorithm, String option, String size)
            throws IOException, GeneralSecurityException {
        return in(folder, name, TWO_DAYS, algorithm, option, size);
    }

    private static PemFiles in(Path folder, String name, String days, String algorithm, String option, String size)
            throws IOException, GeneralSecurityException {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        algorithm,
                        option,
                        size,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-ext",
                        "bc:c",
                        "-validity",
                        days,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!Files.exists(store)) {
            throw new IOException("keytool: " + said);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return new PemFiles(
                pem(
                        folder.resolve(name + ".crt"),
                        "CERTIFICATE",
                        keys.getCertificate("it").getEncoded()),
                pem(
                        folder.resolve(name + ".key"),
                        "PRIVATE KEY",
                        keys.getKey("it", PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path pem(Path file, String what, byte[] der) throws IOException {
        String text = "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END "
                + what + "-----\n";
        return Files.writeString(file, text);
    }
}
