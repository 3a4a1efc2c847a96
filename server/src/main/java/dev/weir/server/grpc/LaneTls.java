package dev.weir.server.grpc;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** TLS for the lane out of PEM files: TLS 1.2 and 1.3 with the JDK's provider, and ALPN {@code h2}. */
public final class LaneTls {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----", Pattern.DOTALL);
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private LaneTls() {}

    /**
     * Reads the files.
     *
     * @param certificate of the server, the chain behind it in the same file
     * @param key of that certificate, PKCS#8 without a password
     * @param callers the authorities one of which must have signed a caller's certificate; null to let in callers without
     * @throws IOException naming the file and what is wrong with it
     */
    public static SslContext of(Path certificate, Path key, @Nullable Path callers) throws IOException {
        X509Certificate[] chain = certificates(certificate);
        SslContextBuilder builder = SslContextBuilder.forServer(key(key, chain[0], certificate), chain)
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2));
        if (callers != null) {
            builder.trustManager(certificates(callers)).clientAuth(ClientAuth.REQUIRE);
        }
        return builder.build();
    }

    private static X509Certificate[] certificates(Path file) throws IOException {
        try (InputStream pem = new ByteArrayInputStream(read(file))) {
            X509Certificate[] chain = CertificateFactory.getInstance("X.509").generateCertificates(pem).stream()
                    .map(X509Certificate.class::cast)
                    .toArray(X509Certificate[]::new);
            if (chain.length == 0) {
                throw new CertificateException("there are none in it");
            }
            return chain;
        } catch (CertificateException e) {
            throw new IOException(file + " (expected: certificates in PEM): " + e.getMessage(), e);
        }
    }

    private static PrivateKey key(Path file, X509Certificate certificate, Path certificateFile) throws IOException {
        Matcher pem = KEY.matcher(new String(read(file), StandardCharsets.ISO_8859_1));
        if (!pem.find()) {
            throw new IOException(file + " (expected: a private key in PKCS#8 PEM, not encrypted;"
                    + " openssl pkcs8 -topk8 -nocrypt turns others into one)");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
            PrivateKey key = KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(der));
            if (!belongsTo(key, certificate)) {
                throw new InvalidKeyException("it is the key of another");
            }
            return key;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    file + " (expected: the private key of " + certificateFile + "): " + e.getMessage(), e);
        }
    }

    /** Whether the certificate confirms what the key signs; without this, it would be every handshake that fails. */
    private static boolean belongsTo(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(key.getAlgorithm());
        if (algorithm == null) {
            return true; // an uncommon one: left to the handshake
        }
        byte[] anything = {1, 2, 3};
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(anything);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(anything);
        return signature.verify(signed);
    }

    private static byte[] read(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException(file + " (expected: a PEM file): there is no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + " (expected: a PEM file): it may not be read by this user", e);
        } catch (IOException e) {
            throw new IOException(file + " (expected: a PEM file): " + e.getMessage(), e);
        }
    }
}
