package dev.weir.internal.match.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EnvoyNodeTableTest {
    private final EnvoyNodeTable nodes = new EnvoyNodeTable();

    private static EnvoyNode node(String value) {
        return new EnvoyNode(List.of("key"), value, false, null);
    }

    private EnvoyNode found(String value) {
        return Objects.requireNonNull(nodes.get(value), value);
    }

    @Test
    void findsEachOfManyAndNoOther() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(nodes.add(node("value-" + i))).isTrue();
            assertThat(nodes.get("value-" + (i + 1))).isNull();
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(found("value-" + i).value).isEqualTo("value-" + i);
        }
    }

    @Test
    void tellsApartValuesThatHashAlike() {
        List<String> alike = List.of("AaAa", "AaBB", "BBAa", "BBBB");
        assertThat(alike).extracting(String::hashCode).containsOnly("AaAa".hashCode());
        alike.subList(0, 3).forEach(each -> assertThat(nodes.add(node(each))).isTrue());
        for (String each : alike.subList(0, 3)) {
            assertThat(found(each).value).isEqualTo(each);
        }
        assertThat(nodes.get("BBBB")).isNull();
    }

    @Test
    void takesAValueOnce() {
        EnvoyNode first = node("value");
        assertThat(nodes.add(first)).isTrue();
        assertThat(nodes.add(node("value"))).isFalse();
        assertThat(nodes.get("value")).isSameAs(first);
    }
}
