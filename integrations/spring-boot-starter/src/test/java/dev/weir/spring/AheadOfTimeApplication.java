package dev.weir.spring;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Starts, calls itself, prints its answers, and ends. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({AheadOfTimeApplication.Orders.class, AheadOfTimeApplication.Shop.class, TestSecurity.OnServlets.class})
public class AheadOfTimeApplication {

    public static void main(String[] args) throws Exception {
        try (ConfigurableApplicationContext context = SpringApplication.run(AheadOfTimeApplication.class, args)) {
            int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders"))
                    .build();
            StringBuilder answers = new StringBuilder("answers:");
            for (int i = 0; i < 3; i++) {
                answers.append(' ')
                        .append(client.send(request, HttpResponse.BodyHandlers.discarding())
                                .statusCode());
            }
            Shop shop = context.getBean(Shop.class);
            answers.append(' ').append(shop.place(new Caller("u_2")));
            answers.append(' ').append(shop.place(new Caller("u_2")));
            answers.append(' ').append(shop.place(new Caller("u_3")));
            System.out.println(answers);
        }
    }

    /** A caller, whose id an expression reads. */
    public record Caller(String id) {}

    @RestController
    static class Orders {
        @GetMapping("/orders")
        String orders() {
            return "orders";
        }
    }

    /** A service with a limited method. */
    public static class Shop {
        @RateLimited(value = "orders", key = "#caller.id", fallback = "later")
        public String place(Caller caller) {
            return "placed";
        }

        String later(Caller caller) {
            return "later for " + caller.id();
        }
    }
}
