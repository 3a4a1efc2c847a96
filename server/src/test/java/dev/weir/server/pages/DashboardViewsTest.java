package dev.weir.server.pages;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import dev.weir.server.RunningServer;
import dev.weir.server.pages.ChromiumBrowser.Window;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * How the dashboard shows what the server answers, in a real browser: every page, both themes, a phone, the keyboard,
 * hostile names, old data. {@link CannedAnswers} stands in for traffic, so that each number is known.
 */
class DashboardViewsTest {
    private static final List<String> PAGES = List.of(
            "now",
            "now?range=6h",
            "rules",
            "rules?domain=api&rule=orders",
            "rules?edit=1&domain=api&rule=orders",
            "caller",
            "caller?in=api&api_key=abc",
            "load",
            "bans",
            "fleet",
            "changes",
            "try?in=api&api_key=abc&endpoint=POST+/v1/orders");

    @TempDir
    static Path folder;

    private static RunningServer server;
    private static ChromiumBrowser browser;

    @SuppressWarnings("NullAway.Init") // each test opens the window it needs
    private Page page;

    @BeforeAll
    static void start() throws Exception {
        browser = ChromiumBrowser.start();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                key_by: api_key
                rules:
                  - name: orders
                    match: { endpoint: "POST /v1/orders" }
                    limit: { requests: 20, window: 1m }
                """);
        server = RunningServer.with(rules, "data", folder.resolve("data").toString());
        server.admin.put("/admin/v1/switches/orders", "{\"state\": \"shadow\", \"reason\": \"ticket 4711\"}");
        server.admin.post(
                "/admin/v1/bans",
                "{\"attribute\": \"user_id\", \"value\": \"<b>bot</b>\", \"for\": \"1h\", \"reason\": \"scraper\"}");
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @AfterEach
    void close() {
        page.context().close();
    }

    private void open(Window window) {
        page = browser.open(window);
        page.route(CannedAnswers::isCanned, CannedAnswers::answer);
    }

    private void go(String view) {
        page.navigate("about:blank");
        page.navigate("http://localhost:" + server.server.admin().port() + "/#/" + view);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "WIDE")
    void everyPageIsAccessibleAndComplainsOfNothing(Window window) {
        open(window);
        for (String each : PAGES) {
            go(each);
            assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasCount(1);
            assertThat(page.getByText(Pattern.compile("^(Loading|Asking|Checking)…$")))
                    .hasCount(0);
            ChromiumBrowser.assertAccessible(page, each + " " + window);
            browser.assertNoComplaints();
        }
    }

    @Test
    void nowSaysWhoIsDeniedAndByWhichRule() {
        open(Window.LIGHT);
        go("now");
        assertThat(page.locator(".sentence")).hasText(Pattern.compile("All well: 3 rules"));
        assertThat(page.locator(".figures")).containsText("532/s");
        assertThat(page.locator(".figures")).containsText("3.1 %");
        assertThat(page.locator(".figures")).containsText("68 µs");
        Locator first = page.locator("main table").first().locator("tbody tr").first();
        assertThat(first).containsText("api_key=abc");
        assertThat(first).containsText("94 %");
        first.getByRole(AriaRole.LINK).first().click();
        assertThat(page).hasURL(Pattern.compile("#/caller\\?in=api&api_key=abc$"));
        assertThat(page.locator(".sentence")).containsText("Denied now by orders");
    }

    @Test
    void aWideScreenShowsChartsBesideLists() {
        open(Window.WIDE);
        go("now");
        assertBeside("#traffic", "#callers");
        assertBeside("#callers", "#rules");
        go("rules?domain=api&rule=orders");
        assertBeside("#traffic", "#top");
        go("caller?in=api&api_key=abc");
        assertBeside("#limits", "#denials");
        browser.assertNoComplaints();
    }

    /** Checks that two sections begin at one height, the first on the left. */
    private void assertBeside(String left, String right) {
        assertThat(page.locator(right)).isVisible();
        ChromiumBrowser.assertFits(page, left);
        BoundingBox first = page.locator("section:has(> h2" + left + "), section:has(> .head " + left + ")")
                .boundingBox();
        BoundingBox second = page.locator("section:has(> h2" + right + "), section:has(> .head " + right + ")")
                .boundingBox();
        assertThat(second.x).as(right).isGreaterThanOrEqualTo(first.x + first.width);
    }

    @Test
    void aCallerThatIsDeniedAgainAndAgainIsSaidToBe() {
        open(Window.LIGHT);
        go("caller?in=api&api_key=abc");
        assertThat(page.locator(".sentence")).containsText("Denied now by orders.");
        assertThat(page.locator(".sentence")).containsText("Denied again and again by orders for 9 min.");
        assertThat(page.locator("#limits ~ .scroll tr.denied")).containsText("passes in 0.6 s");
        assertThat(page.locator("#regions ~ .scroll tbody td"))
                .containsText(new String[] {"eu", "15", "0.2 s ago", "us", "5", "40 s ago: silent, its share is kept"});
    }

    @Test
    void theRulesInShadowSayWhatTheyWouldDeny() {
        open(Window.LIGHT);
        go("rules");
        Locator row = page.locator("main tbody tr", new Page.LocatorOptions().setHasText("export"));
        assertThat(row).containsText("in shadow 44 %");
    }

    @Test
    void aChartHasATableWithItsNumbersAndACursorThatTheArrowsMove() {
        open(Window.LIGHT);
        go("now");
        Locator chart = page.locator("weir-chart").first();
        chart.locator("summary").click();
        Locator rows = chart.locator("tbody tr");
        assertThat(rows).hasCount(120);
        assertThat(rows.first()).containsText("400");
        assertThat(rows.nth(10)).containsText("no data");
        assertThat(chart).containsText("The newest 120 of 900 intervals");
        chart.locator("canvas").focus();
        assertThat(chart.locator(".legend")).containsText("(newest)");
        page.keyboard().press("ArrowLeft");
        assertThat(chart.locator(".legend")).not().containsText("(newest)");
        page.keyboard().press("Escape");
        assertThat(chart.locator(".legend")).containsText("(newest)");
        assertThat((Integer) page.evaluate(
                        "(() => { const c = document.querySelector('weir-chart canvas'); const d = c.getContext('2d')"
                                + ".getImageData(0, 0, c.width, c.height).data; const seen = new Set();"
                                + " for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) seen.add(d[i] + ',' + d[i + 1] + ',' + d[i + 2]);"
                                + " return seen.size; })()"))
                .as("colours that are drawn")
                .isGreaterThan(3);
    }

    @Test
    void everythingIsReachedByKeyboard() {
        open(Window.LIGHT);
        go("now");
        assertThat(page.locator(".sentence")).isVisible();
        List<String> keys = List.of("n", "r", "c", "l", "b", "f", "h", "t");
        List<String> pages = List.of("now", "rules", "caller", "load", "bans", "fleet", "changes", "try");
        for (int i = keys.size() - 1; i >= 0; i--) {
            page.keyboard().press("g");
            page.keyboard().press(keys.get(i));
            assertThat(page).hasURL(Pattern.compile("#/" + pages.get(i) + "$"));
        }
        page.keyboard().press("g");
        page.keyboard().press("r");
        assertThat(page.locator("[data-open]")).hasCount(3);
        page.keyboard().press("j");
        page.keyboard().press("j");
        page.keyboard().press("k");
        assertThat(page.locator("[data-open]").first()).isFocused();
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile("#/rules\\?domain=api&rule=orders$"));
        assertThat(page.locator("weir-chart").first()).isVisible();
        page.keyboard().press("t");
        assertThat(page).hasURL(Pattern.compile("range=6h"));
        page.keyboard().press(" ");
        assertThat(page.getByText("❚❚ Paused")).isVisible();
        page.keyboard().press(" ");
        assertThat(page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Live")))
                .isVisible();
        page.keyboard().press("?");
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("next and previous row");
        ChromiumBrowser.assertAccessible(page, "help");
        page.keyboard().press("Escape");
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        page.keyboard().press("/");
        assertThat(page.getByRole(AriaRole.COMBOBOX)).isFocused();
        page.keyboard().type("user_id=u 42");
        page.keyboard().press("Escape"); // empties the field, and leaves it
        page.keyboard().press("/");
        page.keyboard().type("user_id=u_42");
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile("#/caller\\?user_id=u_42$"));
        browser.assertNoComplaints();
    }

    @Test
    void findingOffersRulesAndCallers() {
        open(Window.PHONE);
        go("now");
        page.getByRole(AriaRole.COMBOBOX).fill("ord");
        Locator found = page.getByRole(AriaRole.OPTION);
        assertThat(found.first()).containsText("orders (api)");
        assertThat(found.last()).containsText("client_id=ord");
        ChromiumBrowser.assertAccessible(page, "found");
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        assertThat(page).hasURL(Pattern.compile("#/rules\\?domain=api&rule=orders$"));
    }

    @Test
    void namesOfStrangersAreText() {
        open(Window.LIGHT);
        go("now");
        Locator table = page.locator("main table").first();
        assertThat(table).containsText("api_key=" + CannedAnswers.MARKUP);
        assertThat(table).containsText("‹U+202E›");
        assertThat(table).containsText("🦊");
        assertThat(page.locator("main img, main b.planted")).hasCount(0);
        assertThat((Integer)
                        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .isZero();
        page.locator("a", new Page.LocatorOptions().setHasText("api_key=kkkk"))
                .first()
                .click();
        assertThat(page.getByLabel("Value 1")).hasValue("k".repeat(1_000));
        assertThat((Integer)
                        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .isZero();
        go("bans");
        assertThat(page.locator("main table")).containsText("user_id=<b>bot</b>");
        go("rules?domain=api&rule=" + URLEncoder.encode(CannedAnswers.MARKUP, StandardCharsets.UTF_8));
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .containsText(CannedAnswers.MARKUP);
        browser.assertNoComplaints("404");
    }

    @Test
    void aShadowRuleTellsWhatItWouldHaveDenied() {
        open(Window.LIGHT);
        go("rules?domain=api&rule=export");
        assertThat(page.locator("main"))
                .containsText(Pattern.compile("would have denied 312\\s+of 40,120 in the last hour"));
    }

    @Test
    void theLatencyOfFewRequestsIsShownInLongerSteps() {
        open(Window.LIGHT);
        go("now");
        assertThat(
                        page.evaluate(
                                "async () => {"
                                        + " const { timed } = await import(document.querySelector('script[src$=\"/dashboard.js\"]').src.replace('dashboard.js', 'series.js'));"
                                        + " const points = Array.from({ length: 120 }, (_, i) => (i % 4 === 0 ? [1, 10, 20 + i] : [0, -1, -1]));"
                                        + " const of = points => timed({ from: 1000, step: 1, columns: ['allowed', 'p50', 'p99'], points });"
                                        + " const few = of(points);"
                                        + " return [few.step, few.points.length, ...few.points[0], ...few.points.at(-1), of(points.map(() => [1, 5, 9])).step].join(' '); }"))
                .as("step, count, first p50 and p99, last p50 and p99, and the step of many requests")
                .isEqualTo("5 24 10 24 10 136 1");
        browser.assertNoComplaints();
    }

    @Test
    void aFleetOfSeveralRegionsIsShownByRegion() {
        open(Window.LIGHT);
        JsonArray nodes = new JsonArray()
                .add(CannedAnswers.node("eu-1:6070", "eu", "eu", 2, 300, 0.1))
                .add(CannedAnswers.node("us-1:6070", "us", "eu", 2, 100, 0.4))
                .add(CannedAnswers.node("us-2:6070", "us", "us", 1, 300, 0).put("silent", true));
        page.route(
                "**/admin/v1/fleet",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(new JsonObject()
                                .put("nodes", nodes)
                                .put("unknown", new JsonArray())
                                .encode())));
        go("fleet");
        Locator regions = page.locator("#regions ~ .scroll tbody tr");
        assertThat(regions).hasCount(2);
        assertThat(regions.first().locator("td"))
                .containsText(new String[] {"home", "1", "300/s", "10 %", "40 µs", "0 %", "eu, 2"});
        assertThat(regions.last().locator("td"))
                .containsText(new String[] {"us", "▲ 1 of 2", "100/s", "40 %", "40 µs", "0 %", "eu, 2"});
        assertThat(page.locator(".sentence")).containsText("1 of 3 servers silent.");
        nodes.getJsonObject(2).put("silent", false);
        assertThat(page.locator(".sentence")).containsText("They know different home regions or epochs.");
        ChromiumBrowser.assertAccessible(page, "regions");
        browser.assertNoComplaints();
    }

    @Test
    void oldDataStaysDimmedWithItsAge() {
        open(Window.LIGHT);
        go("now");
        assertThat(page.locator(".figures")).containsText("532/s");
        page.route("**/admin/v1/now*", Route::abort);
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("the server cannot be reached");
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("old");
        assertThat(page.locator("#main")).hasClass("old");
        assertThat(page.locator(".figures")).containsText("532/s");
        page.unroute("**/admin/v1/now*");
        assertThat(page.getByRole(AriaRole.ALERT)).hasCount(0);
        browser.assertNoComplaints("ERR_FAILED");
    }

    @Test
    void theChoiceOfColoursIsKept() {
        open(Window.LIGHT);
        go("fleet");
        Locator toggle =
                page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(Pattern.compile("^Colours")));
        toggle.click();
        page.keyboard().press("d");
        assertThat(toggle).hasAttribute("aria-label", "Colours: dark");
        String ground = "getComputedStyle(document.body).backgroundColor";
        assertThat(page.evaluate(ground)).isEqualTo("rgb(20, 24, 27)");
        page.reload();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Fleet")))
                .isVisible();
        assertThat(page.evaluate(ground)).isEqualTo("rgb(20, 24, 27)");
    }

    @Test
    void nothingIsAskedForWhileItIsPaused() {
        open(Window.LIGHT);
        page.clock().install();
        go("load");
        assertThat(page.getByText("The http port", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        page.keyboard().press(" ");
        assertThat(page.getByText("❚❚ Paused")).isVisible();
        int before = CannedAnswers.asked();
        page.clock().runFor(30_000);
        assertThat(CannedAnswers.asked())
                .as("but for a call that was under way")
                .isLessThanOrEqualTo(before + 1);
        page.keyboard().press(" ");
        page.clock().runFor(5_000);
        assertThat(page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Live")))
                .isVisible();
        assertThat(CannedAnswers.asked()).isGreaterThan(before + 1);
    }
}
