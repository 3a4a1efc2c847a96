package dev.weir.internal.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Request;
import org.junit.jupiter.api.Test;

class CallerHashTest {
    private static int seeded(String attribute, String value) {
        return CallerHash.seeded(
                Request.to("api").descriptor().with("tier", "free").with(attribute, value));
    }

    /** Their {@link String#hashCode} is the same, so anybody can choose such a name. */
    @Test
    void namesOfOneHashCodeAreTwoCallers() {
        assertThat("Aa").hasSameHashCodeAs("BB");
        assertThat(seeded("user_id", "Aa")).isNotEqualTo(seeded("user_id", "BB"));
    }

    @Test
    void anAddressCountsOnlyWithoutAnIdentity() {
        Request known = Request.to("api").descriptor().with("user_id", "u").with("ip", "192.0.2.1");
        assertThat(CallerHash.seeded(known)).isEqualTo(seeded("user_id", "u"));
        assertThat(seeded("ip", "192.0.2.1")).isNotEqualTo(seeded("ip", "192.0.2.2"));
        assertThat(seeded("user_id", "u")).isNotEqualTo(seeded("api_key", "u"));
    }
}
