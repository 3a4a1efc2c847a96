package dev.weir.grpc;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class GrpcPublicApiTest {

    @Test
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(WeirServerInterceptor.class);
    }
}
