package dev.weir.client;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ClientPublicApiTest {

    @Test
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(Pacer.class);
    }
}
