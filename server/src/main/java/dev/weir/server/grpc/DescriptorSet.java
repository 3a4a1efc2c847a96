package dev.weir.server.grpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The descriptors of our messages and services as {@code protoc} wrote them at build time, found by file and by symbol. */
final class DescriptorSet {
    private static final int SET_FILE = 1;
    private static final int FILE_NAME = 1;
    private static final int FILE_PACKAGE = 2;
    private static final int FILE_MESSAGE = 4;
    private static final int FILE_ENUM = 5;
    private static final int FILE_SERVICE = 6;
    private static final int NAME = 1;
    private static final int MESSAGE_NESTED = 3;
    private static final int MESSAGE_ENUM = 4;
    private static final int SERVICE_METHOD = 2;

    private final Map<String, byte[]> files = new HashMap<>();
    private final Map<String, byte[]> symbols = new HashMap<>();
    private final List<String> services = new ArrayList<>();

    private DescriptorSet() {}

    /** Reads the set that the build put beside this class. */
    static DescriptorSet load() {
        try (InputStream in = DescriptorSet.class.getResourceAsStream("services.binpb")) {
            if (in == null) {
                throw new IllegalStateException("services.binpb is missing from the class path");
            }
            return of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (CallError e) {
            throw new IllegalStateException("services.binpb: " + e.text(), e);
        }
    }

    static DescriptorSet of(byte[] set) throws CallError {
        DescriptorSet descriptors = new DescriptorSet();
        for (byte[] file : parts(set, SET_FILE)) {
            descriptors.add(file);
        }
        return descriptors;
    }

    /** The full names of all services. */
    List<String> services() {
        return services;
    }

    byte @Nullable [] file(String name) {
        return files.get(name);
    }

    /** The file that declares a service, method, message or enum. */
    byte @Nullable [] fileOf(String symbol) {
        return symbols.get(symbol);
    }

    private void add(byte[] file) throws CallError {
        files.put(text(file, FILE_NAME), file);
        String scope = text(file, FILE_PACKAGE);
        for (byte[] message : parts(file, FILE_MESSAGE)) {
            addMessage(file, scope, message);
        }
        for (byte[] each : parts(file, FILE_ENUM)) {
            symbols.put(scope + "." + text(each, NAME), file);
        }
        for (byte[] service : parts(file, FILE_SERVICE)) {
            String name = scope + "." + text(service, NAME);
            services.add(name);
            symbols.put(name, file);
            for (byte[] method : parts(service, SERVICE_METHOD)) {
                symbols.put(name + "." + text(method, NAME), file);
            }
        }
    }

    private void addMessage(byte[] file, String scope, byte[] message) throws CallError {
        String name = scope + "." + text(message, NAME);
        symbols.put(name, file);
        for (byte[] nested : parts(message, MESSAGE_NESTED)) {
            addMessage(file, name, nested);
        }
        for (byte[] each : parts(message, MESSAGE_ENUM)) {
            symbols.put(name + "." + text(each, NAME), file);
        }
    }

    private static String text(byte[] message, int field) throws CallError {
        List<byte[]> parts = parts(message, field);
        return parts.isEmpty() ? "" : new String(parts.get(parts.size() - 1), StandardCharsets.UTF_8);
    }

    /** The texts, bytes or messages under one field. */
    static List<byte[]> parts(byte[] message, int field) throws CallError {
        List<byte[]> parts = new ArrayList<>();
        Wire wire = new Wire().over(message, 0, message.length);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == (field << 3 | Wire.BYTES)) {
                int length = wire.length();
                parts.add(Arrays.copyOfRange(message, wire.position(), wire.position() + length));
                wire.skipBytes(length);
            } else {
                wire.skip(tag);
            }
        }
        return parts;
    }
}
