package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CorePublicApiTest {

    @Test
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(Weir.class);
    }

    @Test
    void theApiIsSmall() {
        assertThat(PublicApi.types(Weir.class)).hasSizeLessThanOrEqualTo(30);
    }
}
