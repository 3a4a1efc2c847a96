package dev.weir.benchmarks;

import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.rules.Rules;
import dev.weir.servlet.WeirFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of the servlet filter for a call that passes, on the memory store, beside the bare chain. Requests and responses
 * are as cheap as they can be, so the difference is the filter's own: attributes, decision, headers, and the end of the
 * call.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FilterBenchmark {
    private static final int CALLERS = 1_024;

    /** One limit for each caller; or four rules, of which three match, one of them for calls in flight. */
    @Param({"one", "four"})
    public String rules = "one";

    private final CheapRequest[] requests = new CheapRequest[CALLERS];
    private final CheapResponse response = new CheapResponse();
    private int next;

    @SuppressWarnings("NullAway.Init") // JMH calls open first
    private Weir weir;

    @SuppressWarnings("NullAway.Init")
    private WeirFilter filter;

    private final FilterChain chain = (request, answer) -> ((HttpServletResponse) answer).setStatus(200);

    /** Opens the rules. */
    @Setup(Level.Trial)
    public void open() {
        String first = """
                domain: app
                rules:
                  - { name: callers, key_by: api_key, limit: { requests: 1000000000, window: 1h } }
                """;
        String more = """
                  - name: orders
                    match: { endpoint: "POST /orders/*" }
                    key_by: ip
                    limit: { requests: 1000000000, window: 1m, algorithm: fixed_window }
                  - { name: in-flight, limit: { requests: 1000, algorithm: concurrency } }
                  - { name: reports, match: { endpoint: "/reports/**" }, key_by: ip, limit: { requests: 5, window: 1m } }
                """;
        weir = Weir.open(Rules.yaml(rules.equals("one") ? first : first + more));
        filter = new WeirFilter(HttpLimiter.builder(weir).build());
        for (int i = 0; i < CALLERS; i++) {
            requests[i] = new CheapRequest("key-" + i, "10.0." + (i >> 8) + "." + (i & 255));
        }
    }

    @TearDown
    public void close() {
        weir.close();
    }

    private CheapRequest next() {
        CheapRequest request = requests[next++ & CALLERS - 1];
        request.call = null;
        return request;
    }

    /** The chain alone. */
    @Benchmark
    public int bare() throws Exception {
        chain.doFilter(next(), response);
        return response.status;
    }

    /** The chain behind the filter. */
    @Benchmark
    public int filtered() throws Exception {
        filter.doFilter(next(), response, chain);
        return response.status;
    }

    private static <T> T unused(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw new UnsupportedOperationException(method.toString());
        }));
    }

    /** A request to {@code POST /orders/17}. */
    private static final class CheapRequest extends HttpServletRequestWrapper {
        private final String apiKey;
        private final String peer;
        private @Nullable Object call;

        CheapRequest(String apiKey, String peer) {
            super(unused(HttpServletRequest.class));
            this.apiKey = apiKey;
            this.peer = peer;
        }

        @Override
        public DispatcherType getDispatcherType() {
            return DispatcherType.REQUEST;
        }

        @Override
        public String getMethod() {
            return "POST";
        }

        @Override
        public String getServletPath() {
            return "/orders";
        }

        @Override
        public String getPathInfo() {
            return "/17";
        }

        @Override
        public @Nullable String getHeader(String name) {
            return name.equals("X-API-Key") ? apiKey : null;
        }

        @Override
        public String getRemoteAddr() {
            return peer;
        }

        @Override
        public @Nullable String getRemoteUser() {
            return null;
        }

        @Override
        public @Nullable Object getAttribute(String name) {
            return name.equals(WeirFilter.CALL) ? call : null;
        }

        @Override
        public void setAttribute(String name, Object value) {
            call = value;
        }

        @Override
        public boolean isAsyncStarted() {
            return false;
        }
    }

    /** A response that keeps its status and headers. */
    private static final class CheapResponse extends HttpServletResponseWrapper {
        private final Map<String, String> headers = new HashMap<>();
        private int status;

        CheapResponse() {
            super(unused(HttpServletResponse.class));
        }

        @Override
        public void setHeader(String name, String value) {
            headers.put(name, value);
        }

        @Override
        public void setStatus(int status) {
            this.status = status;
        }

        @Override
        public int getStatus() {
            return status;
        }
    }
}
