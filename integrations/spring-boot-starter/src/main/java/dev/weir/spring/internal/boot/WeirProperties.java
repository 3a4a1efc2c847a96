package dev.weir.spring.internal.boot;

import dev.weir.OnFail;
import dev.weir.http.ForwardedHeader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** The properties {@code weir.*}. A property that does not exist fails at start. */
@ConfigurationProperties(prefix = "weir", ignoreUnknownFields = false)
public final class WeirProperties {

    /** Whether Weir limits anything. */
    private boolean enabled = true;

    /**
     * The rules: a file or folder, which is watched; a resource such as classpath:weir-rules.yaml, the default; or the text
     * of a rule file itself.
     */
    private @Nullable String rules;

    /** Purpose of the application's own rules, if the store is a Weir server. */
    private RulesMode rulesMode = RulesMode.ENFORCE;

    /**
     * Where counters live: memory; a Redis that several processes share, such as redis://host:6379; or a Weir server such as
     * grpc://weir:8081, which also has the rules.
     */
    private String store = "memory";

    /** Decision while a Weir server does not answer: allow, the default, deny or local. Other stores ask each rule. */
    private @Nullable OnFail onFail;

    /** Further Redis stores by name, for rules that name one. */
    private Map<String, String> stores = new LinkedHashMap<>();

    /** The domain whose rules limit HTTP calls and methods; by default the only one, or "default" of a Weir server. */
    private @Nullable String domain;

    /** How long a decision may wait for a shared store; 10 ms by default, 20 ms for a Weir server. */
    private @Nullable Duration deadline;

    /** How long the start of the application may wait for a shared store; 10 s by default, 2 s for a Weir server. */
    private @Nullable Duration warmUp;

    /** How many counters this process holds in memory before it evicts the least used. */
    private int maxKeys = 1_000_000;

    @NestedConfigurationProperty
    private final Tls tls = new Tls();

    @NestedConfigurationProperty
    private final Http http = new Http();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getRules() {
        return rules;
    }

    public void setRules(@Nullable String rules) {
        this.rules = rules;
    }

    public RulesMode getRulesMode() {
        return rulesMode;
    }

    public void setRulesMode(RulesMode rulesMode) {
        this.rulesMode = rulesMode;
    }

    public @Nullable OnFail getOnFail() {
        return onFail;
    }

    public void setOnFail(@Nullable OnFail onFail) {
        this.onFail = onFail;
    }

    public String getStore() {
        return store;
    }

    public void setStore(String store) {
        this.store = store;
    }

    public Map<String, String> getStores() {
        return stores;
    }

    public void setStores(Map<String, String> stores) {
        this.stores = stores;
    }

    public @Nullable String getDomain() {
        return domain;
    }

    public void setDomain(@Nullable String domain) {
        this.domain = domain;
    }

    public @Nullable Duration getDeadline() {
        return deadline;
    }

    public void setDeadline(@Nullable Duration deadline) {
        this.deadline = deadline;
    }

    public @Nullable Duration getWarmUp() {
        return warmUp;
    }

    public void setWarmUp(@Nullable Duration warmUp) {
        this.warmUp = warmUp;
    }

    public int getMaxKeys() {
        return maxKeys;
    }

    public void setMaxKeys(int maxKeys) {
        this.maxKeys = maxKeys;
    }

    public Tls getTls() {
        return tls;
    }

    public Http getHttp() {
        return http;
    }

    /** Purpose of the application's own rules. */
    public enum RulesMode {
        /** They are in force. */
        ENFORCE,
        /** They decide while the Weir server, whose rules are in force, does not answer. */
        FALLBACK
    }

    /** The certificates for a store whose scheme is rediss or grpcs. */
    public static final class Tls {
        /** PEM file with the certificates to trust. By default those that the JVM trusts. */
        private @Nullable Path trust;

        /** PEM file with the certificate that this application presents. */
        private @Nullable Path certificate;

        /** PEM file with the key of that certificate. */
        private @Nullable Path key;

        /** Whether the certificate must name the host. */
        private boolean verifyHost = true;

        public @Nullable Path getTrust() {
            return trust;
        }

        public void setTrust(@Nullable Path trust) {
            this.trust = trust;
        }

        public @Nullable Path getCertificate() {
            return certificate;
        }

        public void setCertificate(@Nullable Path certificate) {
            this.certificate = certificate;
        }

        public @Nullable Path getKey() {
            return key;
        }

        public void setKey(@Nullable Path key) {
            this.key = key;
        }

        public boolean isVerifyHost() {
            return verifyHost;
        }

        public void setVerifyHost(boolean verifyHost) {
            this.verifyHost = verifyHost;
        }
    }

    /** When the rules are asked about an HTTP call. */
    public enum Phase {
        /** Rules that need the user after Spring Security, all others before it. */
        AUTO,
        /** All rules before Spring Security; no rule sees the user. */
        BEFORE_SECURITY,
        /** All rules after Spring Security; calls that it refuses are not counted. */
        AFTER_SECURITY
    }

    /** How HTTP calls are limited. */
    public static final class Http {
        /** Whether HTTP calls are limited. Methods with @RateLimited are limited in any case. */
        private boolean enabled = true;

        /** When rules are asked: before or after Spring Security, or each rule as early as it can be. */
        private Phase phase = Phase.AUTO;

        /** Proxies whose header names the caller: addresses and blocks such as 10.0.0.0/8. */
        private List<String> trustedProxies = new ArrayList<>();

        /** The header in which the trusted proxies name the caller. */
        private ForwardedHeader forwardedHeader = ForwardedHeader.X_FORWARDED_FOR;

        /** Further attributes of a call, each with the header that it is read from. */
        private Map<String, String> attributes = new LinkedHashMap<>();

        /** Whether answers have the RateLimit headers. A denial has Retry-After in any case. */
        private boolean headers = true;

        /** Paths that are never limited, together with all below them. */
        private List<String> exclude = new ArrayList<>(List.of("/actuator"));

        /** Whether calls are refused with 503 while this process is overloaded, reads before writes. */
        private boolean shedder;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Phase getPhase() {
            return phase;
        }

        public void setPhase(Phase phase) {
            this.phase = phase;
        }

        public List<String> getTrustedProxies() {
            return trustedProxies;
        }

        public void setTrustedProxies(List<String> trustedProxies) {
            this.trustedProxies = trustedProxies;
        }

        public ForwardedHeader getForwardedHeader() {
            return forwardedHeader;
        }

        public void setForwardedHeader(ForwardedHeader forwardedHeader) {
            this.forwardedHeader = forwardedHeader;
        }

        public Map<String, String> getAttributes() {
            return attributes;
        }

        public void setAttributes(Map<String, String> attributes) {
            this.attributes = attributes;
        }

        public boolean isHeaders() {
            return headers;
        }

        public void setHeaders(boolean headers) {
            this.headers = headers;
        }

        public List<String> getExclude() {
            return exclude;
        }

        public void setExclude(List<String> exclude) {
            this.exclude = exclude;
        }

        public boolean isShedder() {
            return shedder;
        }

        public void setShedder(boolean shedder) {
            this.shedder = shedder;
        }
    }
}
