package dev.weir.server.grpc.service;

import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The protobuf descriptors of this server's messages and services, by file and by symbol. {@code protoc} wrote them at
 * build time.
 */
final class DescriptorSet {
    private static final int SET_FILE = 1;
    private static final int FILE_NAME = 1;
    private static final int FILE_PACKAGE = 2;
    private static final int FILE_MESSAGE = 4;
    private static final int FILE_ENUM = 5;
    private static final int FILE_SERVICE = 6;
    private static final int NAME = 1;
    private static final int MESSAGE_FIELD = 2;
    private static final int MESSAGE_NESTED = 3;
    private static final int MESSAGE_ENUM = 4;
    private static final int MESSAGE_ONEOF = 8;
    private static final int ENUM_VALUE = 2;
    private static final int SERVICE_METHOD = 2;

    private final Map<String, byte[]> files = new HashMap<>();
    private final Map<String, byte[]> symbols = new HashMap<>();
    private final Set<String> messages = new HashSet<>();
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
        } catch (GrpcCallException e) {
            throw new IllegalStateException("services.binpb: " + e.text(), e);
        }
    }

    static DescriptorSet of(byte[] set) throws GrpcCallException {
        DescriptorSet descriptors = new DescriptorSet();
        for (byte[] file : values(set, SET_FILE)) {
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

    boolean isMessage(String name) {
        return messages.contains(name);
    }

    /** The file that declares a service, method, message, enum, field or enum value. */
    byte @Nullable [] fileOf(String symbol) {
        return symbols.get(symbol);
    }

    private void add(byte[] file) throws GrpcCallException {
        files.put(text(file, FILE_NAME), file);
        String scope = text(file, FILE_PACKAGE);
        for (byte[] message : values(file, FILE_MESSAGE)) {
            addMessage(file, scope, message);
        }
        addEnums(file, scope, values(file, FILE_ENUM));
        for (byte[] service : values(file, FILE_SERVICE)) {
            String name = scope + "." + text(service, NAME);
            services.add(name);
            symbols.put(name, file);
            addNames(file, name, values(service, SERVICE_METHOD));
        }
    }

    private void addMessage(byte[] file, String scope, byte[] message) throws GrpcCallException {
        String name = scope + "." + text(message, NAME);
        symbols.put(name, file);
        messages.add(name);
        for (byte[] nested : values(message, MESSAGE_NESTED)) {
            addMessage(file, name, nested);
        }
        addEnums(file, name, values(message, MESSAGE_ENUM));
        addNames(file, name, values(message, MESSAGE_FIELD));
        addNames(file, name, values(message, MESSAGE_ONEOF));
    }

    /** Adds enums. The values of an enum are named in the scope of the enum, not within it. */
    private void addEnums(byte[] file, String scope, List<byte[]> enums) throws GrpcCallException {
        addNames(file, scope, enums);
        for (byte[] each : enums) {
            addNames(file, scope, values(each, ENUM_VALUE));
        }
    }

    private void addNames(byte[] file, String scope, List<byte[]> declared) throws GrpcCallException {
        for (byte[] each : declared) {
            symbols.put(scope + "." + text(each, NAME), file);
        }
    }

    private static String text(byte[] message, int field) throws GrpcCallException {
        List<byte[]> values = values(message, field);
        return values.isEmpty() ? "" : new String(values.get(values.size() - 1), StandardCharsets.UTF_8);
    }

    /** The texts, bytes or messages of one field. */
    static List<byte[]> values(byte[] message, int field) throws GrpcCallException {
        List<byte[]> values = new ArrayList<>();
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == (field << 3 | ProtobufReader.BYTES)) {
                int length = wire.length();
                values.add(Arrays.copyOfRange(message, wire.position(), wire.position() + length));
                wire.skipBytes(length);
            } else {
                wire.skip(tag);
            }
        }
        return values;
    }
}
