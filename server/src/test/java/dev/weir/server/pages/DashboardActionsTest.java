package dev.weir.server.pages;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.weir.server.RunningServer;
import dev.weir.server.pages.ChromiumBrowser.Window;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes that people make on the dashboard, in a real browser on a real server. */
class DashboardActionsTest {
    private static final String TRIAL = """
            match: { endpoint: "GET /trial" }
            key_by: api_key
            limit: { requests: %d, window: 365d, algorithm: fixed_window }
            """;

    @TempDir
    static Path folder;

    private static RunningServer server;
    private static ChromiumBrowser browser;
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
                    limit: { requests: 2, window: 1h }
                  - name: search
                    match: { endpoint: "GET /v1/search" }
                    limit: { requests: 200, window: 1m }
                """);
        server = RunningServer.with(
                rules,
                "data",
                folder.resolve("data").toString(),
                "decisions_file",
                folder.resolve("decisions.jsonl").toString(),
                "decisions_requests",
                "all");
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

    @BeforeEach
    void open() {
        page = browser.open(Window.LIGHT);
        page.route(CannedAnswers::isCanned, CannedAnswers::answer); // of traffic; every change is the server's own
    }

    @AfterEach
    void close() {
        page.context().close();
    }

    @Test
    void aRuleIsCheckedAsItIsTypedAndSavedWithItsDifference() throws Exception {
        go("rules?edit=1&domain=api&rule=orders");
        Locator text = page.getByLabel("The rule, in YAML or JSON");
        assertThat(text).hasValue(Pattern.compile("requests: 2"));
        assertThat(button("Save")).isDisabled();

        text.fill(
                "match: { endpoint: \"POST /v1/orders\" }\nlimit:\n  requests: 5\n  window: 1h\n  algorithm: token_buket\n");
        Locator said = page.locator("#rule-said");
        assertThat(said).containsText("5:14");
        assertThat(said).containsText("token_bucket");
        assertThat(page.locator(".gutter .wrong")).hasText("▲5");
        assertThat(button("Save")).isDisabled();
        button("5:14").click();
        assertThat(
                        page.evaluate(
                                "document.activeElement.value.slice(document.activeElement.selectionStart).startsWith('token_buket')"))
                .isEqualTo(true);

        text.fill("match: { endpoint: \"POST /v1/orders\" }\nlimit: { requests: 5, window: 1h }\n");
        assertThat(page.locator(".difference .added").last()).containsText("requests: 5");
        assertThat(page.locator(".difference .gone").last()).containsText("requests: 2");
        page.getByLabel("Reason, for the audit").fill("more für Jürgen");
        button("Save").click();
        assertThat(page).hasURL(Pattern.compile("#/rules\\?domain=api&rule=orders$"));
        JsonObject rule = json("/v1/ratelimit/config/orders");
        assertThat(rule.getString("source")).isEqualTo("database");
        assertThat(rule.getJsonObject("limit").getInteger("requests")).isEqualTo(5);

        go("changes?kind=rule");
        Locator change = page.locator(".changes summary").first();
        assertThat(change).containsText("orders");
        assertThat(change).containsText("more für Jürgen");
        change.click();
        assertThat(page.locator(".changes .difference").first()).containsText("requests: 5");
        button("Verify the hash chain").click();
        assertThat(page.getByText("Intact:")).isVisible();

        go("rules?edit=1&domain=api&rule=orders");
        button("Delete").click();
        page.locator("dialog")
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"))
                .click();
        assertThat(page.locator("dialog")).hasCount(0);
        assertThat(json("/v1/ratelimit/config/orders").getString("source")).isNotEqualTo("database");
        browser.assertNoComplaints("400");
    }

    @Test
    void theEditorSaysWhatARuleWouldHaveDeniedInTheRecordedTraffic() throws Exception {
        JsonObject request = new JsonObject().put("api_key", "k_42").put("endpoint", "GET /trial");
        for (int i = 0; i < 30; i++) {
            assertThat(server.http.check(request).statusCode()).isEqualTo(200);
        }
        Path recorded = folder.resolve("decisions.jsonl");
        await().until(() -> Files.readString(recorded).split("/trial", -1).length - 1 >= 30);
        go("rules?edit=1");
        page.getByLabel("Name", new Page.GetByLabelOptions().setExact(true)).fill("trial");
        Locator text = page.getByLabel("The rule, in YAML or JSON");
        text.fill(TRIAL.formatted(12));
        Locator played = page.locator("#played");
        assertThat(played).containsText(Pattern.compile("deny\\s+18 more and 0 fewer"));
        assertThat(played).containsText(Pattern.compile("18 of 30 requests denied, 0 now"));
        text.fill(TRIAL.formatted(29));
        assertThat(played).containsText(Pattern.compile("deny\\s+1 more and 0 fewer"));
        browser.assertNoComplaints();
    }

    @Test
    void aRuleThatSomebodyElseChangedMeanwhileIsNotOverwritten() throws Exception {
        go("rules?edit=1&domain=api&rule=search");
        Locator text = page.getByLabel("The rule, in YAML or JSON");
        assertThat(text).hasValue(Pattern.compile("requests: 200"));
        server.admin.put("/v1/ratelimit/config/search", "{\"limit\": {\"requests\": 7, \"window\": \"1m\"}}");
        text.fill("limit: { requests: 8, window: 1m }\n");
        assertThat(button("Save")).isEnabled();
        button("Save").click();
        assertThat(page.locator("#rule-said")).containsText("Somebody else has changed this rule");
        assertThat(json("/v1/ratelimit/config/search").getJsonObject("limit").getInteger("requests"))
                .isEqualTo(7);
        server.admin.delete("/v1/ratelimit/config/search");
        browser.assertNoComplaints("412");
    }

    @Test
    void aCallerIsBannedWithAReasonAndLetInAgain() throws Exception {
        go("bans");
        assertThat(page.getByText("Nobody is banned.")).isVisible();
        button("Ban a caller").click();
        Locator dialog = page.locator("dialog");
        dialog.getByLabel("Value").fill("not an address");
        dialog.getByLabel("Reason").fill("stuffing");
        inDialog("Ban").click();
        assertThat(dialog.locator(".wrong")).containsText("not an address");
        dialog.getByLabel("Value").fill("192.0.2.0/24");
        inDialog("Ban").click();
        assertThat(dialog).hasCount(0);
        assertThat(page.locator("main table")).containsText("ip=192.0.2.0/24");
        assertThat(page.locator("main table")).containsText("stuffing");
        assertThat(json("/admin/v1/bans").getJsonArray("bans")).hasSize(1);

        button("Remove").click();
        inDialog("Remove").click();
        assertThat(page.getByText("Nobody is banned.")).isVisible();
        browser.assertNoComplaints("400");
    }

    @Test
    void tryingTakesNothingAndShowsTheHeadersAndTheWay() throws Exception {
        go("try");
        field("Attribute 1").fill("api_key");
        field("Value 1").fill("<b>k</b>");
        field("Attribute 2").fill("endpoint");
        field("Value 2").fill("POST /v1/orders");
        field("Value 2").press("Enter");
        assertThat(page.getByText("It would pass now.")).isVisible();
        assertThat(page.locator("main")).containsText("X-RateLimit-Remaining");
        assertThat(page.locator(".way")).containsText("Match");
        JsonObject check = new JsonObject().put("api_key", "<b>k</b>").put("endpoint", "POST /v1/orders");
        for (int i = 0; i < 2; i++) {
            assertThat(server.http.check(check).statusCode()).isEqualTo(200);
        }
        assertThat(server.http.check(check).statusCode()).isEqualTo(429);
        button("Try it").click();
        assertThat(page.getByText("It would be denied now.")).isVisible();
        assertThat(page.locator("main")).containsText("Retry-After");
        assertThat(page.locator("main")).containsText("api_key=<b>k</b>");
        assertThat(page.locator("main b", new Page.LocatorOptions().setHasText(Pattern.compile("^k$"))))
                .hasCount(0);
        browser.assertNoComplaints();
    }

    @Test
    void theWayOfARequestShowsWhereItStopsAndWhatIsInShadow() throws Exception {
        JsonObject check = new JsonObject().put("api_key", "walker").put("endpoint", "POST /v1/orders");
        String view = "try?in=api&api_key=walker&endpoint=POST+/v1/orders";
        String ban = "attribute=api_key&domain=api&value=walker";
        go(view);
        assertThat(step("Match", "passed")).containsText("1 of 2 rules apply");
        assertThat(step("Counters", "passed")).containsText("all have room");
        assertThat(step("Answered by", "passed")).containsText("memory");
        assertThat(step("Decision", "passed")).containsText("200 allowed");

        while (server.http.check(check).statusCode() != 429) {}
        go(view);
        assertThat(step("Counters", "stops")).containsText("no room for orders");
        assertThat(step("Decision", "stops")).containsText("429 denied");
        server.admin.put("/admin/v1/switches/orders?domain=api", "{\"state\": \"shadow\", \"reason\": \"way\"}");
        go(view);
        assertThat(step("Counters", "passed")).containsText("orders in shadow has not");
        assertThat(step("Decision", "passed")).containsText("200 allowed");

        server.admin.post(
                "/admin/v1/bans",
                "{\"domain\": \"api\", \"attribute\": \"api_key\", \"value\": \"walker\", \"reason\": \"way\"}");
        go(view);
        assertThat(step("Bans", "stops")).containsText("way");
        assertThat(step("Decision", "stops")).containsText("403 denied");
        server.admin.delete("/admin/v1/bans?" + ban);
        server.admin.delete("/admin/v1/switches/orders?domain=api");
        browser.assertNoComplaints();
    }

    /** A step on the way of a request, with what it did. */
    private Locator step(String name, String did) {
        return page.locator(".way li." + did, new Page.LocatorOptions().setHasText(name));
    }

    @Test
    void quotesAroundAValueAreThoseOfAShell() throws Exception {
        JsonObject check = new JsonObject().put("api_key", "quoted").put("endpoint", "POST /v1/orders");
        while (server.http.check(check).statusCode() != 429) {}
        go("try");
        field("Attribute 1").fill("api_key");
        field("Value 1").fill("'quoted'");
        field("Attribute 2").fill("endpoint");
        field("Value 2").fill("\"POST /v1/orders\"");
        field("Value 2").press("Enter");
        assertThat(page.getByText("It would be denied now.")).isVisible();
        assertThat(page.getByText("The quotes around a value were removed")).isVisible();
        assertThat(field("Value 2")).hasValue("POST /v1/orders");
        field("Value 1").fill("\"\"quoted\"\"");
        button("Try it").click();
        assertThat(page.getByText("It would pass now.")).isVisible();
        assertThat(field("Value 1")).hasValue("\"quoted\"");
        browser.assertNoComplaints();
    }

    @Test
    void aCallerWhoseCountersCannotBeReadIsNotSaidToPass() throws Exception {
        String told = """
                {"at": 1, "attributes": {"api_key": "abc"}, "counters": [], "met_bans": [], "bans": [], "denials": [],
                 "dropped": ["The counters of domain api could not be read: closed"], "unread": true}""";
        page.route(
                url -> url.contains("/admin/v1/caller"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(told)));
        go("caller?in=api&api_key=abc");
        assertThat(page.getByText("Not known: the counters cannot be read now."))
                .isVisible();
        assertThat(page.getByText("could not be read: closed")).isVisible();
        assertThat(page.getByText("Passes now")).hasCount(0);
        browser.assertNoComplaints();
    }

    @Test
    void aTokenIsAskedForAndAViewerMayOnlyLook() throws Exception {
        Page other = browser.open(Window.LIGHT, "X-Forwarded-For", "203.0.113.9");
        try {
            other.navigate(url("bans"));
            Locator field = other.getByLabel("This server requires a token");
            assertThat(field).isFocused();
            field.fill("weir_wrong");
            field.press("Enter");
            assertThat(other.locator(".sign-in .wrong")).not().isEmpty();
            field.fill(token("eve", "viewer"));
            field.press("Enter");
            assertThat(other.getByText("eve (viewer)")).isVisible();
            assertThat(other.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Bans")))
                    .isVisible();
            assertThat(other.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Ban a caller")))
                    .hasCount(0);
            other.navigate(url("rules?edit=1&domain=api&rule=orders"));
            assertThat(other.getByText("Editing rules takes the role admin; yours is viewer."))
                    .isVisible();
            other.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign out"))
                    .click();
            assertThat(other.getByLabel("This server requires a token")).isVisible();
        } finally {
            other.context().close();
        }
        browser.assertNoComplaints("401");
    }

    @Test
    void aRealCallerIsResetOverriddenAndBannedByKeyboardAndEachChangeIsAudited() throws Exception {
        askForReal();
        String caller = "<b>abc</b> \u0645\u0631\u062d\u0628\u0627 \ud83e\udd8a";
        JsonObject check = new JsonObject().put("api_key", caller).put("endpoint", "POST /v1/orders");
        for (int i = 0; i < 2; i++) {
            assertThat(server.http.check(check).statusCode()).isEqualTo(200);
        }
        assertThat(server.http.check(check).statusCode()).isEqualTo(429);
        go("caller?in=api&api_key=" + encoded(caller) + "&endpoint=" + encoded("POST /v1/orders"));
        Locator sentence = page.locator(".sentence");
        assertThat(sentence).hasText(Pattern.compile("Denied now by orders\\."));
        assertThat(page.locator("#limits ~ .scroll tr.denied")).containsText("api_key=" + caller);
        assertThat(page.locator("#limits ~ .scroll tbody tr")).hasCount(1);
        assertThat(page.locator(".denials")).containsText("denied by orders (2 per 1h");
        assertThat(page.locator("main b", new Page.LocatorOptions().setHasText("abc")))
                .hasCount(0);

        press("Reset counters");
        answer("ticket 1");
        assertThat(sentence).hasText(Pattern.compile("Passes now\\."));
        press("Override a limit");
        page.keyboard().press("Tab");
        page.keyboard().press("Control+a");
        page.keyboard().type("5");
        page.keyboard().press("Tab");
        page.keyboard().type("hour");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        answer("ticket 2");
        assertThat(page.locator("#limits ~ .scroll")).containsText("5 per 1h (override)");
        for (int i = 0; i < 5; i++) {
            assertThat(server.http.check(check).statusCode()).isEqualTo(200);
        }
        assertThat(server.http.check(check).statusCode()).isEqualTo(429);
        press("Ban");
        for (int i = 0; i < 3; i++) {
            page.keyboard().press("Tab");
        }
        answer("ticket 3");
        assertThat(sentence).containsText("banned");
        assertThat(server.http.check(check).statusCode()).isEqualTo(403);

        assertAudited("counter", "ticket 1");
        assertAudited("quota", "ticket 2");
        assertAudited("ban", "ticket 3");
        server.admin.delete("/admin/v1/bans?attribute=api_key&domain=api&value=" + encoded(caller));
        browser.assertNoComplaints();
    }

    @Test
    void aRealRuleIsSwitchedByKeyboardAndTheSwitchIsAudited() throws Exception {
        askForReal();
        go("rules?domain=api&rule=search");
        assertThat(page.locator(".facts")).containsText("200 per 1m");
        press("Switch");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        answer("ticket 4");
        assertThat(page.locator("h1 .badge")).containsText("shadow");
        go("now");
        assertThat(page.locator("#switched ~ .scroll")).containsText("ticket 4");
        go("rules?domain=api&rule=search");
        press("Switch");
        page.keyboard().type("release");
        page.keyboard().press("Tab");
        page.keyboard().press("Tab");
        answer("ticket 5");
        assertThat(page.locator("h1 .badge")).hasCount(0);
        assertAudited("switch", "ticket 4");
        assertAudited("switch", "ticket 5");
        browser.assertNoComplaints();
    }

    @Test
    void namesOfRealCallersAreText() throws Exception {
        askForReal();
        List<String> callers = List.of(
                "<img src=x onerror=alert(1)>",
                "\u0645\u0631\u062d\u0628\u0627\u202Eabc",
                "\ud83e\udd8a\ud83e\udd8a",
                "k".repeat(1_000));
        for (String each : callers) {
            JsonObject check = new JsonObject().put("api_key", each).put("endpoint", "POST /v1/orders");
            for (int i = 0; i < 5; i++) {
                server.http.check(check);
            }
        }
        go("now");
        Locator denied = page.locator("#callers ~ .scroll");
        assertThat(denied).containsText("api_key=" + callers.get(0));
        assertThat(denied).containsText("\u2039U+202E\u203aabc");
        assertThat(denied).containsText("\ud83e\udd8a\ud83e\udd8a");
        page.locator("a", new Page.LocatorOptions().setHasText("api_key=kkkk"))
                .first()
                .click();
        assertThat(page.locator(".sentence")).containsText("Denied now by orders");
        assertThat(page.locator("main img")).hasCount(0);
        ChromiumBrowser.assertAccessible(page, "a caller with a long name");
        browser.assertNoComplaints();
    }

    /** From now on, no answer is made up. */
    private void askForReal() {
        page.context().close();
        page = browser.open(Window.LIGHT);
    }

    private void press(String button) {
        button(button).focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("dialog")).isVisible();
    }

    /** Types the reason into the field that has the focus, and sends the dialog. */
    private void answer(String reason) {
        assertThat(page.locator("#prompt-reason")).isFocused();
        page.keyboard().type(reason);
        page.keyboard().press("Enter");
        assertThat(page.locator("dialog")).hasCount(0);
    }

    private static void assertAudited(String kind, String reason) throws Exception {
        assertThat(json("/admin/v1/audit?limit=1000").getJsonArray("changes"))
                .as(kind + ": " + reason)
                .anySatisfy(each -> {
                    JsonObject change = (JsonObject) each;
                    assertThat(change.getString("kind")).isEqualTo(kind);
                    assertThat(change.getString("reason")).isEqualTo(reason);
                });
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String token(String name, String role) throws Exception {
        return new JsonObject(server.admin
                        .post("/admin/v1/tokens", "{\"name\": \"" + name + "\", \"role\": \"" + role + "\"}")
                        .body())
                .getString("token");
    }

    private static JsonObject json(String path) throws Exception {
        return new JsonObject(server.admin.get(path).body());
    }

    private static String url(String view) {
        return "http://localhost:" + server.server.admin().port() + "/#/" + view;
    }

    private void go(String view) {
        page.navigate("about:blank");
        page.navigate(url(view));
    }

    private Locator field(String label) {
        return page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
    }

    private Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private Locator inDialog(String name) {
        return page.locator("dialog")
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(name).setExact(true));
    }
}
