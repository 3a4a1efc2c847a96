package dev.weir.spring.internal.web;

import dev.weir.http.HttpCall;
import dev.weir.servlet.WeirFilter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;

/** A call to a WebFlux application, as an {@link HttpCall}. */
final class ExchangeCall implements HttpCall {
    private final ServerWebExchange exchange;
    private final ServerHttpRequest request;
    private final @Nullable String user;

    ExchangeCall(ServerWebExchange exchange, @Nullable String user) {
        this.exchange = exchange;
        this.request = exchange.getRequest();
        this.user = user;
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        return request.getPath().pathWithinApplication().value();
    }

    @Override
    public List<String> headers(String name) {
        // Spring 7's headers are no map: this is a way that 6 has as well.
        List<String> found = new ArrayList<>();
        request.getHeaders().forEach((header, values) -> {
            if (header.equalsIgnoreCase(name)) {
                found.addAll(values);
            }
        });
        return found;
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeaders().getFirst(name);
    }

    @Override
    public String peer() {
        InetSocketAddress address = request.getRemoteAddress();
        if (address == null) {
            return "unknown";
        }
        return address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
    }

    @Override
    public @Nullable String user() {
        return user;
    }

    @Override
    public @Nullable String route() {
        return exchange.getAttribute(WeirFilter.ROUTE) instanceof String route ? route : null;
    }

    @Override
    public @Nullable Object attachment(String name) {
        return exchange.getAttribute(name);
    }
}
