package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.match.keyby.KeyBy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValuePatternTest {

    @Test
    void theAttributeDecidesWhatTextMeans() {
        assertThat(ValuePattern.parse("tier", "free")).isEqualTo(new ValuePattern.Exact("free"));
        assertThat(ValuePattern.parse("tier", "fr*")).isEqualTo(new Glob("fr*"));
        assertThat(ValuePattern.parse("endpoint", "/x")).isEqualTo(EndpointPattern.parse("/x"));
        assertThat(ValuePattern.parse("ip", "10.0.0.0/8")).isInstanceOf(Cidr.class);
        assertThat(ValuePattern.parse("peer_ip", "2001:db8::1")).isInstanceOf(Cidr.class);
        assertThat(ValuePattern.parse("ip", "10.0.*")).isInstanceOf(Glob.class);
        assertThat(ValuePattern.parse("ip", "unknown")).isInstanceOf(ValuePattern.Exact.class);
        assertThat(ValuePattern.parse("path", "10.0.0.0/8")).isInstanceOf(ValuePattern.Exact.class);
        assertThatThrownBy(() -> ValuePattern.parse("ip", "10.0.0.0/99")).hasMessageContaining("10.0.0.0/99");
    }

    @ParameterizedTest
    @CsvSource({
        "POST /api/*, POST /api/x,  ,      true",
        "POST /api/*, GET /api/x,   ,      false",
        "POST /api/*, /api/x,       POST,  true",
        "POST /api/*, /api/x,       post,  true",
        "POST /api/*, /api/x,       GET,   false",
        "POST /api/*, /api/x,       ,      true",
        "POST /api/*, POST /api/x,  GET,   true",
        "POST /api/*, POST /ap,     ,      false",
        "/api/*,      POST /api/x,  ,      true",
        "/api/*,      /api/x,       PUT,   true",
        "* /api/*,    PUT /api/x,   ,      true",
        "POST *,      POST /y,      ,      true",
        "POST *,      /y,           GET,   false",
        "*,           GET /y,       ,      true",
        "/a b,        /a b,         ,      true",
        "POST /x,     POSTER /x,    ,      false",
        "POST /x,     POST /x/y,    ,      false",
    })
    void anEndpointIsMethodAndPath(String pattern, String endpoint, String method, boolean matches) {
        assertThat(EndpointPattern.parse(pattern).matches(endpoint, method)).isEqualTo(matches);
    }

    @Test
    void aKeyIsATupleOfAlternatives() {
        assertThat(KeyBy.parse("user_id").parts()).isEqualTo(List.of(List.of("user_id")));
        assertThat(KeyBy.parse("user_id:api_key | ip").parts())
                .isEqualTo(List.of(List.of("user_id"), List.of("api_key", "ip")));
        assertThat(KeyBy.of("a", "b")).isEqualTo(KeyBy.parse("a : b"));
        assertThat(KeyBy.global().parts()).isEmpty();
        assertThatThrownBy(() -> KeyBy.parse("user_id:")).hasMessageContaining("key_by");
        assertThatThrownBy(() -> KeyBy.of("ip").withIpv6Prefix(0)).hasMessageContaining("ipv6_prefix: 0");
    }
}
