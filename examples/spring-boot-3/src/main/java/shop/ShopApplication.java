package shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class ShopApplication {
    private final Reports reports;

    ShopApplication(Reports reports) {
        this.reports = reports;
    }

    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }

    @GetMapping("/reports/{customer}")
    String report(@PathVariable String customer) {
        return reports.of(customer);
    }

    @GetMapping("/exports/{customer}")
    String export(@PathVariable String customer) {
        return reports.export(customer);
    }
}
