package dev.weir.server.pages;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions;
import dev.weir.server.RunningServer;
import dev.weir.server.WeirServer;
import dev.weir.server.demo.DemoTraffic;
import dev.weir.server.pages.ChromiumBrowser.Window;
import dev.weir.server.settings.SettingsReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The dashboard in the first minute of {@code ./weir serve --demo}. With {@code -Dweir.screenshots=FOLDER} it waits for
 * that minute to pass and takes the pictures of the README: {@code .ci/screenshots}.
 */
class FirstMinuteTest {
    private static final double MINUTE_MILLIS = 60_000;

    private final @Nullable String pictures = System.getProperty("weir.screenshots");

    @Test
    void aStrangerSeesWhoIsDeniedByWhichLimitAndSinceWhen(@TempDir Path folder) throws Exception {
        Map<String, String> flags = RunningServer.flags(folder);
        flags.remove("rules");
        flags.put("demo", "");
        try (ChromiumBrowser browser = ChromiumBrowser.start();
                WeirServer server = WeirServer.start(SettingsReader.read(flags, Map.of(), folder));
                DemoTraffic traffic = DemoTraffic.start(server.limiter())) {
            Awaitility.await().until(() -> traffic.sent() > 0);
            for (Window window : Window.values()) {
                Page page = browser.open(window);
                page.navigate("http://localhost:" + server.admin().port() + "/");
                ContainsTextOptions soon = new ContainsTextOptions().setTimeout(MINUTE_MILLIS);
                assertThat(page.locator(".worst"))
                        .containsText(
                                Pattern.compile(
                                        "api_key=\\S+ is denied most: (once|\\S+ times) a (second|minute) by \\S+, which allows \\d+ per 1m; denied for"),
                                soon);
                assertThat(page.locator("#callers ~ .scroll")).containsText("api_key=scraper-7", soon);
                assertThat(page.locator("#rules ~ .scroll")).containsText("tier:free");
                ChromiumBrowser.assertAccessible(page, window.name());
                if (pictures != null && (window == Window.LIGHT || window == Window.DARK)) {
                    assertThat(page.locator("main .foot"))
                            .containsText(
                                    Pattern.compile("up for ([67]\\d s|\\d min)"),
                                    new ContainsTextOptions().setTimeout(2 * MINUTE_MILLIS));
                    Files.write(
                            Path.of(pictures, "now-" + window.name().toLowerCase(Locale.ROOT) + ".png"),
                            SmallPicture.of(page.screenshot()));
                }
                browser.assertNoComplaints();
                page.context().close();
            }
        }
    }
}
