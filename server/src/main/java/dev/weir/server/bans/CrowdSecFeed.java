package dev.weir.server.bans;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.control.bans.BanName;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Follows the decisions of a CrowdSec local API: all of them once, then what is new and deleted, every ten seconds. After
 * a failure it asks for all again. While the API does not answer, the known decisions hold until they expire.
 */
public final class CrowdSecFeed implements AutoCloseable {
    static final Duration EVERY = Duration.ofSeconds(10);

    private static final System.Logger LOG = System.getLogger(CrowdSecFeed.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int MOST = 1_000_000;
    private static final int LONGEST_REASON = 200;
    private static final JsonFactory JSON = new JsonFactory();
    /** A duration as Go writes it: {@code 3h59m57.5s}. */
    private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(h|ms|m|s|us|µs|ns)");

    private final Settings.@Nullable CrowdSec settings;
    private final Duration every;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-crowdsec"));
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    /** The decisions by what they are about; used by the feed's thread alone. */
    private final Map<String, Ban> known = new HashMap<>();

    private boolean whole;
    private boolean failed;
    private volatile boolean connected;
    private volatile BanSet set = BanSet.of(List.of(), false);
    private volatile Runnable changed = () -> {};

    /** Creates a feed; null follows nothing. */
    public CrowdSecFeed(Settings.@Nullable CrowdSec settings) {
        this(settings, EVERY);
    }

    CrowdSecFeed(Settings.@Nullable CrowdSec settings, Duration every) {
        this.settings = settings;
        this.every = every;
    }

    /** Starts asking, and calls {@code changed} whenever the decisions differ. */
    void follow(Runnable changed) {
        this.changed = changed;
        Settings.CrowdSec from = settings;
        if (from != null) {
            var unused = timer.scheduleWithFixedDelay(() -> poll(from), 0, every.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    BanSet set() {
        return set;
    }

    private void poll(Settings.CrowdSec from) {
        try {
            boolean startup = !whole;
            if (ask(from, startup)) {
                set = BanSet.of(known.values(), false);
                changed.run();
            }
            whole = true;
            reached(true, "");
        } catch (IOException | RuntimeException e) {
            whole = false;
            reached(false, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean ask(Settings.CrowdSec from, boolean startup) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(from.url() + "/v1/decisions/stream" + (startup ? "?startup=true" : "")))
                .header("X-Api-Key", from.key())
                .header("User-Agent", "weir")
                .timeout(TIMEOUT)
                .build();
        HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException("status " + answer.statusCode()
                        + (answer.statusCode() == 403 ? " (expected: a crowdsec_key of cscli bouncers add)" : ""));
            }
            return read(body, startup);
        }
    }

    private boolean read(InputStream body, boolean startup) throws IOException {
        Map<String, Ban> next = startup ? new HashMap<>() : known;
        int before = known.size();
        int changes = 0;
        try (JsonParser json = JSON.createParser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the answer is not an object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String list = json.currentName();
                if (json.nextToken() != JsonToken.START_ARRAY) {
                    json.skipChildren();
                    continue;
                }
                while (json.nextToken() == JsonToken.START_OBJECT) {
                    changes += apply(decision(json), list.equals("deleted"), next) ? 1 : 0;
                }
            }
        }
        if (startup) {
            known.clear();
            known.putAll(next);
        }
        return changes > 0 || known.size() != before;
    }

    private static Map<String, String> decision(JsonParser json) throws IOException {
        Map<String, String> fields = new HashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            if (json.nextToken().isScalarValue()) {
                fields.put(name, json.getText());
            } else {
                json.skipChildren();
            }
        }
        return fields;
    }

    /** Takes in one decision; returns whether it changed anything. */
    private boolean apply(Map<String, String> decision, boolean deleted, Map<String, Ban> into) throws IOException {
        String scope = decision.getOrDefault("scope", "").toLowerCase(Locale.ROOT);
        String value = decision.getOrDefault("value", "");
        if (!decision.getOrDefault("type", "").equalsIgnoreCase("ban")) {
            return false; // captcha and the like are for others to enforce
        }
        String key = scope + "\n" + value;
        if (deleted) {
            return into.remove(key) != null;
        }
        if (into.size() >= MOST) {
            throw new IOException("more than " + MOST + " decisions");
        }
        boolean simulated = decision.getOrDefault("simulated", "").equals("true");
        Ban ban = ban(scope, value, simulated, decision);
        return ban != null && !ban.equals(into.put(key, ban));
    }

    private static @Nullable Ban ban(String scope, String value, boolean simulated, Map<String, String> decision) {
        String attribute = scope.equals("range") ? "ip" : scope;
        long micros = micros(decision.getOrDefault("duration", ""));
        String scenario = decision.getOrDefault("scenario", "").replaceAll("\\p{Cntrl}", "?");
        try {
            BanName name = BanName.of("", attribute, value, false);
            return micros <= 0
                    ? null
                    : new Ban(
                            simulated ? BanKind.WATCH : BanKind.BAN,
                            name.attribute(),
                            name.value(),
                            "",
                            System.currentTimeMillis() * 1_000 + micros,
                            scenario.substring(0, Math.min(scenario.length(), LONGEST_REASON)),
                            "crowdsec",
                            false);
        } catch (ChangeRefusedException e) {
            LOG.log(Level.WARNING, "a decision of CrowdSec is ignored: " + e.getMessage());
            return null;
        }
    }

    /** Parses a duration of Go's; 0 if it has passed or is none. */
    static long micros(String text) {
        Matcher part = PART.matcher(text);
        double micros = 0;
        int end = 0;
        while (part.find() && part.start() == end) {
            double unit = switch (part.group(2)) {
                case "h" -> 3_600e6;
                case "m" -> 60e6;
                case "s" -> 1e6;
                case "ms" -> 1e3;
                case "ns" -> 1e-3;
                default -> 1;
            };
            micros += Double.parseDouble(part.group(1)) * unit;
            end = part.end();
        }
        return end == text.length() && micros < Long.MAX_VALUE / 4.0 ? (long) micros : 0;
    }

    private void reached(boolean now, String why) {
        connected = now;
        if (failed == now) {
            failed = !now;
            LOG.log(
                    now ? Level.INFO : Level.WARNING,
                    now
                            ? "crowdsec: following " + known.size() + " decisions"
                            : "crowdsec: no answer: " + why + "; the known decisions hold until they expire");
        }
    }

    void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.crowdsec.entries", "Decisions of CrowdSec in force.", () -> set.size())
                .gauge(
                        "ratelimit.crowdsec.connected",
                        "1 while the local API of CrowdSec answers; 0 without one.",
                        () -> connected ? 1 : 0);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
