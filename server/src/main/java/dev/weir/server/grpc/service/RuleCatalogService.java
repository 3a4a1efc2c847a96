package dev.weir.server.grpc.service;

import dev.weir.internal.ruleset.OutlineMessage;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Tells {@code weir-remote} which rules there are: their names, limits and attributes, and none of the values that they match.
 * A caller that sends the checksum of the message that it has gets an empty one while the rules are the same. The message
 * is written once for each rule set, and all answers share its bytes.
 */
public final class RuleCatalogService implements GrpcService {
    private static final int REQUEST_CHECKSUM = 1 << 3 | ProtobufReader.VARINT;
    private static final byte[] UNCHANGED = {};
    /** The longest message: with it, a connection keeps within its bound on unsent answers. */
    private static final int MOST_BYTES = 2 << 20;

    private final Supplier<OutlinedRules> rules;
    private volatile @Nullable Written written;

    /** The message of a rule set. */
    private static final class Written {
        final OutlinedRules rules;
        final byte[] message;
        final long checksum;

        Written(OutlinedRules rules) {
            this.rules = rules;
            this.message = OutlineMessage.write(rules);
            CRC32 sum = new CRC32();
            sum.update(message);
            this.checksum = sum.getValue();
        }
    }

    public RuleCatalogService(Supplier<OutlinedRules> rules) {
        this.rules = rules;
    }

    @Override
    public void message(GrpcServiceCall call, GrpcMethod method, byte[] message) throws GrpcCallException {
        long checksum = checksum(message);
        Written current = written();
        if (current.message.length > MOST_BYTES) {
            throw new GrpcCallException(
                    GrpcStatus.UNIMPLEMENTED,
                    "the outline of the rules: " + current.message.length + " bytes (expected: <= " + MOST_BYTES + ")");
        }
        call.send(checksum == current.checksum ? UNCHANGED : current.message);
        call.end(GrpcStatus.OK, "");
    }

    private Written written() {
        OutlinedRules inForce = rules.get();
        Written current = written;
        return current != null && current.rules == inForce ? current : write();
    }

    /** Writes the message unless another event loop has written it meanwhile. */
    private synchronized Written write() {
        OutlinedRules inForce = rules.get();
        Written current = written;
        if (current == null || current.rules != inForce) {
            current = new Written(inForce);
            written = current;
        }
        return current;
    }

    private static long checksum(byte[] message) throws GrpcCallException {
        long checksum = -1;
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REQUEST_CHECKSUM) {
                checksum = wire.varint();
            } else {
                wire.skip(tag);
            }
        }
        return checksum;
    }
}
