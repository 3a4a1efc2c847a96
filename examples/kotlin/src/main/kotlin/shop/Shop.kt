package shop

import dev.weir.spring.RateLimited
import dev.weir.spring.RateLimitedException
import kotlinx.coroutines.delay
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController

@SpringBootApplication
open class Shop

/** Spring limits classes that are open, with functions that are open. */
@Service
open class Reports {
    @RateLimited("reports", key = "#customer")
    open suspend fun report(customer: String): String {
        delay(1)
        return "report of $customer\n"
    }

    @RateLimited("reports", key = "#customer", fallback = "yesterdays")
    open suspend fun summary(customer: String): String {
        delay(1)
        return "summary of $customer\n"
    }

    open suspend fun yesterdays(customer: String, denied: RateLimitedException): String =
        "yesterday's summary of $customer\n"
}

@RestController
class Pages(private val reports: Reports) {
    @GetMapping("/reports/{customer}")
    suspend fun report(@PathVariable customer: String) = reports.report(customer)

    @GetMapping("/summaries/{customer}")
    suspend fun summary(@PathVariable customer: String) = reports.summary(customer)
}

fun main(arguments: Array<String>) {
    runApplication<Shop>(*arguments)
}
