package dev.weir.server.demo;

import dev.weir.Request;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The callers of the demo: who sends how many requests at which second. Customers of three tiers are steady. A scraper, a
 * guesser of passwords, a client that retries in a loop and a nightly batch come and go. Not thread-safe.
 */
final class DemoCallers {
    private static final String DOMAIN = "shop";
    /** A night has this many seconds, so that a batch is seen in the first minute. */
    private static final int DAY = 90;

    private static final List<String> PAGES =
            List.of("GET /v1/products", "GET /v1/products", "GET /v1/cart", "POST /v1/cart", "POST /v1/orders");
    private static final int FREE = 40;
    private static final int PRO = 12;
    private static final int ENTERPRISE = 3;

    private final Random random;

    DemoCallers(long seed) {
        random = new Random(seed);
    }

    /** Sends what all callers send in {@code millis} milliseconds from {@code atMillis} after the start. */
    void send(long atMillis, long millis, Consumer<Request> to) {
        int second = (int) (atMillis / 1_000);
        double seconds = millis / 1_000.0;
        for (int i = due(0.6 * FREE, seconds); i > 0; i--) {
            to.accept(customer("free", busiestFirst(FREE)));
        }
        for (int i = due(4.0 * PRO, seconds); i > 0; i--) {
            to.accept(customer("pro", busiestFirst(PRO)));
        }
        for (int i = due(30.0 * ENTERPRISE, seconds); i > 0; i--) {
            to.accept(customer("enterprise", random.nextInt(ENTERPRISE)));
        }
        for (int i = due(1.5, seconds); i > 0; i--) {
            to.accept(login("198.51.100." + random.nextInt(200)));
        }
        guess(second, seconds, to);
        scrape(second, seconds, to);
        retry(second, seconds, to);
        export(second, seconds, to);
    }

    /** Tries passwords from one address, in waves, at a user a time. */
    private void guess(int second, double seconds, Consumer<Request> to) {
        if (second % 60 >= 3 && second % 60 < 48) {
            for (int i = due(12, seconds); i > 0; i--) {
                to.accept(login("203.0.113.66"));
            }
        }
    }

    /** Reads the whole catalogue through the search, with a free key. */
    private void scrape(int second, double seconds, Consumer<Request> to) {
        if (second % 75 >= 6 && second % 75 < 60) {
            for (int i = due(25, seconds); i > 0; i--) {
                to.accept(request("free", "scraper-7").with("endpoint", "GET /v1/search"));
            }
        }
    }

    /** A release of a mobile app that retries without a pause whatever fails. */
    private void retry(int second, double seconds, Consumer<Request> to) {
        if (second % 120 >= 15 && second % 120 < 75) {
            for (int i = due(18, seconds); i > 0; i--) {
                to.accept(request("pro", "mobile-2.1").with("endpoint", "POST /v1/orders"));
            }
        }
    }

    /** The nightly batch: more than its limit at first, and then as much as it gets. */
    private void export(int second, double seconds, Consumer<Request> to) {
        int hour = second % DAY;
        if (hour >= 20 && hour < 50) {
            for (int i = due(hour < 30 ? 40 : 8, seconds); i > 0; i--) {
                to.accept(request("enterprise", "warehouse-sync").with("endpoint", "POST /v1/exports"));
            }
        }
    }

    private Request customer(String tier, int number) {
        return request(tier, tier + "-" + (number + 1)).with("endpoint", PAGES.get(random.nextInt(PAGES.size())));
    }

    private static Request request(String tier, String key) {
        return Request.to(DOMAIN).with("tier", tier).with("api_key", key);
    }

    private static Request login(String address) {
        return Request.to(DOMAIN).with("ip", address).with("endpoint", "POST /login");
    }

    /** A number below {@code count}, low ones more often: a few customers are busier than the rest. */
    private int busiestFirst(int count) {
        double share = random.nextDouble();
        return (int) (count * share * share);
    }

    /** How many requests of {@code rate} a second fall into so many seconds: whole, and right on average. */
    private int due(double rate, double seconds) {
        return (int) (rate * seconds + random.nextDouble());
    }
}
