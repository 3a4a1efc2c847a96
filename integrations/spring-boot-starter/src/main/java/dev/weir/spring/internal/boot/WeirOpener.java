package dev.weir.spring.internal.boot;

import dev.weir.RuleSource;
import dev.weir.Store;
import dev.weir.TimeSource;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.redis.RedisStore;
import dev.weir.redis.TlsSettings;
import dev.weir.spring.internal.boot.WeirProperties.RulesMode;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ResourceLoader;

/** Opens the Weir of an application from its properties, or says what is wrong with them. */
final class WeirOpener {
    private static final String STORES = """
        Set weir.store to one of:
          memory               counters in this process
          redis://host:6379    counters shared through Redis; also redis-cluster://, redis-sentinel://
          rediss://host:6379   the same with TLS
          grpc://weir:8081     rules and counters on a Weir server; grpcs:// with TLS\
        """;

    private final WeirProperties properties;
    private final ResourceLoader loader;

    WeirOpener(WeirProperties properties, ResourceLoader loader) {
        this.properties = properties;
        this.loader = loader;
    }

    Weir open(WeirObserver observer, @Nullable TimeSource time) {
        checkTls();
        if (RemoteStore.isServer(properties.getStore())) {
            return new RemoteStore(properties, loader).open(observer);
        }
        refuseRemoteSettings();
        RuleSource rules = RulesLocation.read(properties.getRules(), loader);
        Weir.Builder builder = Weir.builder(rules).observer(observer);
        try {
            builder.store(store("weir.store", properties.getStore()));
            properties.getStores().forEach((name, uri) -> builder.store(name, shared("weir.stores." + name, uri)));
            builder.maxKeys(properties.getMaxKeys());
            if (properties.getDeadline() != null) {
                builder.deadline(properties.getDeadline());
            }
            if (properties.getWarmUp() != null) {
                builder.warmUp(properties.getWarmUp());
            }
        } catch (IllegalArgumentException e) {
            throw MistakenProperty.of(e);
        }
        if (time != null) {
            builder.time(time);
        }
        try {
            return builder.open();
        } catch (IllegalArgumentException e) {
            throw MistakenProperty.isNamed(e) ? MistakenProperty.of(e) : RulesLocation.wrong(e);
        } catch (IllegalStateException e) {
            throw new WeirStartFailure(
                    WeirStartFailure.messageOf(e),
                    "Let Spring Boot choose the versions of Lettuce and Netty: remove versions of io.lettuce and"
                            + " io.netty from the build, and lettuce.version and netty.version from its properties.",
                    e);
        }
    }

    /** Certificates that no store uses are a mistake about the store: nothing would be encrypted. */
    private void checkTls() {
        WeirProperties.Tls tls = properties.getTls();
        if ((tls.getCertificate() == null) != (tls.getKey() == null)) {
            boolean noKey = tls.getKey() == null;
            throw new WeirStartFailure(
                    "weir.tls."
                            + (noKey
                                    ? "certificate is set without weir.tls.key."
                                    : "key is set without weir.tls.certificate."),
                    "Set both, or neither.");
        }
        boolean set = tls.getTrust() != null || tls.getKey() != null || !tls.isVerifyHost();
        if (set
                && !isEncrypted(properties.getStore())
                && properties.getStores().values().stream().noneMatch(WeirOpener::isEncrypted)) {
            throw new WeirStartFailure(
                    "weir.tls is set, but weir.store is " + WeirStartFailure.withoutPassword(properties.getStore())
                            + ", which is not encrypted.",
                    "Begin the address with rediss:// or grpcs://, or remove weir.tls.");
        }
    }

    private static boolean isEncrypted(String uri) {
        return uri.strip().startsWith("rediss") || uri.strip().startsWith("grpcs://");
    }

    /** They would have no effect. */
    private void refuseRemoteSettings() {
        if (properties.getRulesMode() == RulesMode.FALLBACK) {
            throw new WeirStartFailure(
                    "weir.rules-mode is FALLBACK, but weir.store is no server.",
                    "Remove weir.rules-mode: the rules here are in force.");
        }
        if (properties.getOnFail() != null) {
            throw new WeirStartFailure(
                    "weir.on-fail is set, but weir.store is no server.",
                    "Remove it, and give each rule its on_fail: allow, deny or local.");
        }
    }

    private Store store(String property, String uri) {
        return uri.strip().equals("memory") ? Store.memory() : shared(property, uri);
    }

    private Store shared(String property, String uri) {
        String text = uri.strip();
        try {
            WeirProperties.Tls tls = properties.getTls();
            return RedisStore.at(text)
                    .withTls(new TlsSettings(tls.getTrust(), tls.getCertificate(), tls.getKey(), tls.isVerifyHost()));
        } catch (IllegalArgumentException e) {
            throw new WeirStartFailure(property + ": " + WeirStartFailure.messageOf(e), STORES, e);
        }
    }
}
