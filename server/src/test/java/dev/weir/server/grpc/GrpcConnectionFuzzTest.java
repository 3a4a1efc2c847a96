package dev.weir.server.grpc;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;

/** Any bytes at all: no exception escapes, nothing leaks, and nothing stays charged. {@code JAZZER_FUZZ=1 mvn … -Djazzer.hooks=true}
 * searches for more. */
class GrpcConnectionFuzzTest {

    @FuzzTest(maxDuration = "30s")
    void aConnectionSurvivesAnyBytes(byte[] data) {
        try (RawPeer peer = new RawPeer(new CountingDecider(10))) {
            // The preface is given away, or it would be all that is ever looked at.
            peer.send(RawPeer.hello());
            int cut = data.length == 0 ? 0 : (data[0] & 0xFF) % data.length;
            peer.send(Arrays.copyOf(data, cut));
            peer.send(Arrays.copyOfRange(data, cut, data.length));
        }
    }

    @FuzzTest(maxDuration = "30s")
    void aCallSurvivesAnyMessage(byte[] data) {
        try (RawPeer peer = RawPeer.introduced(new CountingDecider(10))) {
            byte[] message = Arrays.copyOf(data, Math.min(data.length, 16_000));
            byte[] prefix = {0, 0, 0, (byte) (message.length >> 8), (byte) message.length};
            peer.send(
                    RawPeer.open(1), RawPeer.frame(RawPeer.DATA, RawPeer.END_STREAM, 1, RawPeer.join(prefix, message)));
            if (RawPeer.end(peer.frames(), 1).equals("none")) {
                throw new AssertionError("not answered");
            }
        }
    }
}
