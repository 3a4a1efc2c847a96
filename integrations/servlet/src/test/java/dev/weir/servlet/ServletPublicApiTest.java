package dev.weir.servlet;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ServletPublicApiTest {

    @Test
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(WeirFilter.class);
    }
}
