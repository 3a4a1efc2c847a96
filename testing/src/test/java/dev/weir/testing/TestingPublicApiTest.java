package dev.weir.testing;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TestingPublicApiTest {

    @Test
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(PolicyTests.class);
    }
}
