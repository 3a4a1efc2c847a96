package shop;

import dev.weir.spring.RateLimited;
import dev.weir.spring.RateLimitedException;
import org.springframework.stereotype.Service;

@Service
public class Reports {

    @RateLimited(value = "reports", key = "#customer", fallback = "yesterdays")
    public String of(String customer) {
        return "the report of " + customer + "\n";
    }

    String yesterdays(String customer, RateLimitedException denied) {
        return "yesterday's report of " + customer + "\n";
    }

    @RateLimited("exports")
    public String export(String customer) {
        return "an export for " + customer + "\n";
    }
}
