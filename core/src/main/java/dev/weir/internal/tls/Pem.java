package dev.weir.internal.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PEM files; errors name the file. */
public final class Pem {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN (RSA |EC |)PRIVATE KEY-----([^-:]+)-----END", Pattern.DOTALL);
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;

    private Pem() {}

    /**
     * Reads the certificates in {@code file}, at least one.
     *
     * @throws IOException naming the file and the problem
     */
    public static X509Certificate[] certificates(Path file) throws IOException {
        try (InputStream pem = new ByteArrayInputStream(read(file))) {
            X509Certificate[] chain = CertificateFactory.getInstance("X.509").generateCertificates(pem).stream()
                    .map(X509Certificate.class::cast)
                    .toArray(X509Certificate[]::new);
            if (chain.length == 0) {
                throw new CertificateException("the file has no certificate");
            }
            return chain;
        } catch (CertificateException e) {
            throw new IOException(file + " (expected: certificates in PEM): " + e.getMessage(), e);
        }
    }

    /**
     * Reads the private key of {@code certificate}.
     *
     * @throws IOException naming the file and the problem
     */
    public static PrivateKey key(Path file, X509Certificate certificate, Path certificateFile) throws IOException {
        Matcher pem = KEY.matcher(new String(read(file), StandardCharsets.ISO_8859_1));
        if (!pem.find()) {
            throw new IOException(file + " (expected: a private key in PEM, not encrypted;"
                    + " openssl pkcs8 -topk8 -nocrypt turns others into one)");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.group(2));
            PublicKey other = certificate.getPublicKey();
            byte[] pkcs8 = pem.group(1).isEmpty() ? der : wrapped(der, other);
            PrivateKey key =
                    KeyFactory.getInstance(other.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            if (!belongsTo(key, certificate)) {
                throw new InvalidKeyException("the key belongs to another certificate");
            }
            return key;
        } catch (GeneralSecurityException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException(
                    file + " (expected: the private key of " + certificateFile + "): " + e.getMessage(), e);
        }
    }

    /**
     * Wraps a key as OpenSSL and cert-manager write it (PKCS#1, SEC 1) into PKCS#8, the only form that the JDK reads:
     * version, algorithm, key. The algorithm, with its curve, is that of the certificate.
     */
    private static byte[] wrapped(byte[] key, PublicKey other) {
        ByteBuffer info = ByteBuffer.wrap(other.getEncoded());
        header(info); // of the whole
        int start = info.position();
        int length = header(info);
        byte[] algorithm = new byte[info.position() - start + length];
        info.position(start);
        info.get(algorithm);
        byte[] version = {0x02, 0x01, 0x00};
        return element(SEQUENCE, version, algorithm, element(OCTETS, key));
    }

    /** Skips the tag and the length of a DER element, and returns the length. */
    private static int header(ByteBuffer der) {
        der.get();
        int first = der.get() & 0xFF;
        if (first < 0x80) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < (first & 0x7F); i++) {
            length = (length << 8) | (der.get() & 0xFF);
        }
        return length;
    }

    private static byte[] element(int tag, byte[]... contents) {
        ByteArrayOutputStream inside = new ByteArrayOutputStream();
        for (byte[] each : contents) {
            inside.writeBytes(each);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (inside.size() >= 0x100) {
            out.write(0x82);
            out.write(inside.size() >> 8);
        } else if (inside.size() >= 0x80) {
            out.write(0x81);
        }
        out.write(inside.size());
        out.writeBytes(inside.toByteArray());
        return out.toByteArray();
    }

    /**
     * Whether the certificate verifies a signature of the key. Without this check every handshake would fail instead.
     */
    private static boolean belongsTo(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(key.getAlgorithm());
        if (algorithm == null) {
            return true; // an uncommon algorithm: the handshake will tell
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
            throw new IOException(file + " (expected: a PEM file): permission denied for the user of this process", e);
        } catch (IOException e) {
            throw new IOException(file + " (expected: a PEM file): " + e.getMessage(), e);
        }
    }
}
