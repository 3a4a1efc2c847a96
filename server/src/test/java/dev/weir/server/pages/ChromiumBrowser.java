package dev.weir.server.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.args.AxeRunOptions;
import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import dev.weir.testkit.ExternalPrograms;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Debian's Chromium, driven by Playwright; a test class shares one. It notes whatever a page complains of. */
final class ChromiumBrowser implements AutoCloseable {
    private final Playwright playwright;
    private final Browser browser;
    private final List<String> complaints = new ArrayList<>();

    /** The size and the colours of a window. */
    enum Window {
        LIGHT(1280, 900, ColorScheme.LIGHT),
        DARK(1280, 900, ColorScheme.DARK),
        PHONE(390, 844, ColorScheme.LIGHT),
        WIDE(2560, 1300, ColorScheme.DARK);

        final int width;
        final int height;
        final ColorScheme colours;

        Window(int width, int height, ColorScheme colours) {
            this.width = width;
            this.height = height;
            this.colours = colours;
        }
    }

    private ChromiumBrowser(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /** Starts it; without a Chromium the test is skipped. */
    static ChromiumBrowser start() {
        Path program = ExternalPrograms.program("chromium");
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(program)
                        .setArgs(List.of(
                                "--no-sandbox",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync")));
        return new ChromiumBrowser(playwright, browser);
    }

    /** Opens a window of its own, as of another person. Headers are names and values in turn. */
    Page open(Window window, String... headers) {
        Browser.NewContextOptions options = new Browser.NewContextOptions()
                .setViewportSize(window.width, window.height)
                .setColorScheme(window.colours);
        if (headers.length > 0) {
            options.setExtraHTTPHeaders(Map.of(headers[0], headers[1]));
        }
        complaints.clear();
        BrowserContext context = browser.newContext(options);
        context.setDefaultTimeout(20_000);
        Page page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
                complaints.add(message.text() + " at " + message.location());
            }
        });
        page.onPageError(complaints::add);
        return page;
    }

    /** Checks that no page has complained since the last one was opened; refusals of the server that a test asks for are expected. */
    void assertNoComplaints(String... expected) {
        assertThat(complaints)
                .filteredOn(each -> List.of(expected).stream().noneMatch(each::contains))
                .isEmpty();
    }

    /** Checks that axe finds nothing, and that the page is not wider than its window. */
    static void assertAccessible(Page page, String what) {
        // Otherwise axe opens a second page to put together what it found in frames. The dashboard has none.
        assertThat(page.frames()).as("frames").hasSize(1);
        AxeRunOptions options = new AxeRunOptions();
        options.setResultTypes(List.of("violations"));
        List<Rule> found = new AxeBuilder(page)
                .setLegacyMode(true)
                .options(options)
                .analyze()
                .getViolations();
        assertThat(found)
                .as(what)
                .extracting(each -> each.getId() + ": " + each.getNodes().get(0).getHtml())
                .isEmpty();
        assertFits(page, what);
    }

    /** Checks that the page is not wider than its window. */
    static void assertFits(Page page, String what) {
        assertThat(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as(what + ": wider than the window by")
                .isEqualTo(0);
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
