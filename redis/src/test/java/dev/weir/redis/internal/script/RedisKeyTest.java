package dev.weir.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.counter.CounterName;
import io.lettuce.core.cluster.SlotHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RedisKeyTest {

    @Test
    void theTagIsTheSubjectInBase64() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            long subject = i == 0 ? -1 : i == 1 ? 0 : random.nextLong();
            String tag = Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(ByteBuffer.allocate(8).putLong(subject).array());
            assertThat(key(subject, "api:login")).isEqualTo("weir:{" + tag + "}:api:login");
        }
    }

    @Test
    void countersOfOneSubjectShareASlotAndSubjectsSpread() {
        Random random = new Random(2);
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 4_000; i++) {
            long subject = random.nextLong();
            int slot = SlotHash.getSlot(key(subject, "one"));
            assertThat(SlotHash.getSlot(key(subject, "{other}"))).isEqualTo(slot);
            slots.add(slot);
        }
        assertThat(slots).hasSizeGreaterThan(3_300);
    }

    private static String key(long subject, String text) {
        CounterName name = new CounterName();
        name.subject(subject);
        for (byte c : text.getBytes(StandardCharsets.US_ASCII)) {
            name.append(c);
        }
        return new String(RedisKey.of(name), StandardCharsets.US_ASCII);
    }
}
