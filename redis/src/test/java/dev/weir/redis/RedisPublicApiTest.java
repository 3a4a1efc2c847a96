package dev.weir.redis;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class RedisPublicApiTest {

    @Test
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(RedisStore.class);
    }
}
