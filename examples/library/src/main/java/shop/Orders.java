package shop;

import dev.weir.Decision;
import dev.weir.Limit;
import dev.weir.RateLimiter;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.rules.Rules;
import java.nio.file.Path;
import java.time.Duration;

public final class Orders {

    public static void main(String[] arguments) {
        // One limit, any number of keys.
        RateLimiter logins = RateLimiter.of(Limit.tokenBucket(2, Duration.ofMinutes(1)));
        for (int i = 0; i < 3; i++) {
            System.out.println("login: " + logins.tryAcquire("alice"));
        }

        // Rules, which can change while this runs.
        try (Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")))) {
            for (int i = 0; i < 3; i++) {
                Decision decision = weir.decide(Request.to("shop").with("user_id", "alice"));
                System.out.println("order: " + (decision.allowed() ? "placed" : "denied by " + decision.ruleName()));
            }
        }
    }
}
