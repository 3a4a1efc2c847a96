package dev.weir.server.grpc.service;

import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code grpc.reflection.v1} and {@code v1alpha}, which differ only in name. Tools such as {@code grpcurl} ask
 * it first.
 */
public final class ReflectionService implements GrpcService {
    private static final int REQUEST_HOST = 1;
    private static final int BY_FILE = 3;
    private static final int BY_SYMBOL = 4;
    private static final int EXTENSION = 5;
    private static final int EXTENSION_NUMBERS = 6;
    private static final int LIST = 7;

    private static final int RESPONSE_HOST = 1;
    private static final int RESPONSE_ORIGINAL = 2;
    private static final int RESPONSE_FILE = 4;
    private static final int RESPONSE_EXTENSION_NUMBERS = 5;
    private static final int RESPONSE_SERVICES = 6;
    private static final int RESPONSE_ERROR = 7;
    private static final int ONLY = 1;
    private static final int ERROR_TEXT = 2;

    private final DescriptorSet descriptors = DescriptorSet.load();

    @Override
    public void message(GrpcServiceCall call, GrpcMethod method, byte[] request) throws GrpcCallException {
        ByteBuf response = Unpooled.buffer();
        for (byte[] host : DescriptorSet.values(request, REQUEST_HOST)) {
            field(response, RESPONSE_HOST, host);
        }
        field(response, RESPONSE_ORIGINAL, request);
        answer(request, response);
        call.send(ByteBufUtil.getBytes(response));
    }

    private void answer(byte[] request, ByteBuf response) throws GrpcCallException {
        byte[] file = last(request, BY_FILE);
        byte[] symbol = last(request, BY_SYMBOL);
        byte[] numbersOf = last(request, EXTENSION_NUMBERS);
        if (last(request, LIST) != null) {
            ByteBuf list = Unpooled.buffer();
            for (String service : descriptors.services()) {
                ByteBuf one = Unpooled.buffer();
                field(one, ONLY, service.getBytes(StandardCharsets.UTF_8));
                field(list, ONLY, ByteBufUtil.getBytes(one));
            }
            field(response, RESPONSE_SERVICES, ByteBufUtil.getBytes(list));
        } else if (file != null) {
            found(response, descriptors.file(new String(file, StandardCharsets.UTF_8)));
        } else if (symbol != null) {
            found(response, descriptors.fileOf(new String(symbol, StandardCharsets.UTF_8)));
        } else if (numbersOf != null && descriptors.isMessage(new String(numbersOf, StandardCharsets.UTF_8))) {
            ByteBuf none = Unpooled.buffer(); // an empty list: proto3 has no extensions
            field(none, ONLY, numbersOf);
            field(response, RESPONSE_EXTENSION_NUMBERS, ByteBufUtil.getBytes(none));
        } else if (numbersOf != null || last(request, EXTENSION) != null) {
            found(response, null);
        } else {
            error(response, GrpcStatus.INVALID_ARGUMENT, "empty request");
        }
    }

    private static void found(ByteBuf response, byte @Nullable [] file) {
        if (file == null) {
            error(response, GrpcStatus.NOT_FOUND, "not found");
            return;
        }
        ByteBuf files = Unpooled.buffer();
        field(files, ONLY, file);
        field(response, RESPONSE_FILE, ByteBufUtil.getBytes(files));
    }

    private static void error(ByteBuf response, GrpcStatus status, String text) {
        ByteBuf error = Unpooled.buffer();
        error.writeByte(ONLY << 3 | ProtobufReader.VARINT).writeByte(status.number());
        field(error, ERROR_TEXT, text.getBytes(StandardCharsets.UTF_8));
        field(response, RESPONSE_ERROR, ByteBufUtil.getBytes(error));
    }

    private static byte @Nullable [] last(byte[] message, int field) throws GrpcCallException {
        List<byte[]> values = DescriptorSet.values(message, field);
        return values.isEmpty() ? null : values.get(values.size() - 1);
    }

    private static void field(ByteBuf out, int number, byte[] content) {
        out.writeByte(number << 3 | ProtobufReader.BYTES);
        ProtobufReader.writeVarint(out, content.length);
        out.writeBytes(content);
    }
}
