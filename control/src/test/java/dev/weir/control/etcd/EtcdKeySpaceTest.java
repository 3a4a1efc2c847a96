package dev.weir.control.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.weir.control.etcd.proto.Event;
import dev.weir.control.etcd.proto.KeyValue;
import org.junit.jupiter.api.Test;

class EtcdKeySpaceTest {
    @Test
    void anIncompleteListIsNeverTakenForTheWhole() {
        EtcdKeySpace keys = new EtcdKeySpace("/weir");
        for (int i = 0; !keys.isFull(); i++) {
            keys.put(entry(i));
        }
        keys.complete(false);
        for (int i = 0; keys.isFull(); i++) {
            keys.apply(Event.newBuilder()
                    .setType(Event.EventType.DELETE)
                    .setKv(entry(i))
                    .build());
        }
        assertThat(keys.documents().problems()).singleElement().asString().contains("more than 10000 keys");
        assertThat(keys.documents().documents()).isEmpty();
    }

    private static KeyValue entry(int i) {
        return KeyValue.newBuilder()
                .setKey(ByteString.copyFromUtf8("/weir/" + i))
                .setValue(ByteString.copyFromUtf8("rules: []"))
                .build();
    }
}
