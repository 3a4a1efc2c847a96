package dev.weir.spring;

import dev.weir.testkit.PublicApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.springframework.boot.SpringBootVersion;

class SpringPublicApiTest {

    @Test
    @DisabledIf("isOnSpringBoot4")
    void theApiChangesOnPurposeOnly() throws IOException {
        PublicApi.assertUnchanged(HttpLimiterCustomizer.class);
    }

    /** The file stands beside the starter. */
    static boolean isOnSpringBoot4() {
        return SpringBootVersion.getVersion().startsWith("4.");
    }
}
