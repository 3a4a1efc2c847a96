package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.model.EndpointCosts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointCostTableTest {
    private static final EndpointCosts COSTS = costs(
            "GET *", 1, "POST *", 5, "/search", 10, "POST /search", 12, "/v1/*", 20, "/v1/users/*", 30, "/free", 0);

    private static EndpointCosts costs(Object... pairs) {
        List<EndpointCosts.Entry> entries = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            entries.add(new EndpointCosts.Entry((String) pairs[i], (Integer) pairs[i + 1]));
        }
        return new EndpointCosts(entries, false);
    }

    @ParameterizedTest
    @CsvSource({
        "GET /x, 1",
        "POST /x, 5",
        "GET /search, 10",
        "/search, 12", // the method is unknown: the costlier of the two
        "POST /search, 12",
        "GET /v1/orders, 20",
        "POST /v1, 20",
        "GET /v1/users/7, 30",
        "GET /free, 0",
        "DELETE /x, 1",
        "GET //search/?q=1, 10",
        "GET /%73earch, 10",
        "/x, 5",
    })
    void theMostSpecificPatternHolds(String endpoint, long hits) {
        assertThat(new EndpointCostTable(COSTS, EndpointForm.NORMAL).of(endpoint, null))
                .isEqualTo(hits);
    }

    @Test
    void theMethodMayComeApart() {
        EndpointCostTable table = new EndpointCostTable(COSTS, EndpointForm.NORMAL);
        assertThat(table.of("/x", "post")).isEqualTo(5);
        assertThat(table.of("/x", "GET")).isEqualTo(1);
        assertThat(table.of("/search", "GET")).isEqualTo(10);
    }

    @Test
    void aRequestWithoutEndpointIsMetByTheStarAlone() {
        assertThat(new EndpointCostTable(COSTS, EndpointForm.NORMAL).of(null, null))
                .isEqualTo(1);
        assertThat(new EndpointCostTable(costs("*", 7), EndpointForm.NORMAL).of(null, null))
                .isEqualTo(7);
    }

    @Test
    void letterCaseIsIgnoredWhereTheRuleSaysSo() {
        EndpointCosts ignoring = new EndpointCosts(costs("/Search", 9).entries(), true);
        assertThat(new EndpointCostTable(ignoring, EndpointForm.NORMAL).of("GET /sEARCH", null))
                .isEqualTo(9);
        assertThat(new EndpointCostTable(costs("/Search", 9), EndpointForm.NORMAL).of("GET /search", null))
                .isEqualTo(1);
        assertThat(new EndpointCostTable(costs("/search", 9), EndpointForm.RAW).of("GET /search/", null))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/*, /*/a, true",
        "/a/*, /b/*, false",
        "/a/*/c, /*/b/c, true",
        "/a/*/c, /*/c, false", // not equally specific
        "/a*b, /a*c, false",
        "/ab*, /a*b, true",
        "/search, /search/, true",
        "/search, /%73earch, true",
        "GET /a, POST /a, false",
        "GET /a, /a, false",
        "/a, /b, false",
        "*, * *, true",
    })
    void equallySpecificPatternsThatMeetTheSameRequestsAreATie(String one, String other, boolean tied) {
        EndpointCosts both = costs(one, 1, other, 2);
        assertThat(EndpointCostTable.tieWith(both, 1) != null).isEqualTo(tied);
        assertThat(EndpointCostTable.tieWith(both, 0)).isNull();
    }
}
