package dev.weir.spring.internal.boot;

import dev.weir.OnFail;
import dev.weir.RuleSource;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.remote.RemoteWeir;
import dev.weir.spring.internal.boot.WeirProperties.RulesMode;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** Opens a Weir whose rules and counters live on a server: {@code weir.store: grpc://weir:8081}. */
final class RemoteStore {
    private static final String CLIENT = "dev.weir.remote.RemoteWeir";

    private final WeirProperties properties;
    private final ResourceLoader loader;
    private final String store;

    RemoteStore(WeirProperties properties, ResourceLoader loader) {
        this.properties = properties;
        this.loader = loader;
        this.store = properties.getStore().strip();
    }

    /** Whether {@code store} names a server. */
    static boolean isServer(String store) {
        String text = store.strip();
        return text.startsWith("grpc://") || text.startsWith("grpcs://");
    }

    Weir open(WeirObserver observer) {
        if (!ClassUtils.isPresent(CLIENT, loader.getClassLoader())) {
            throw new WeirStartFailure(
                    "weir.store: " + store + " needs weir-remote, which is not on the class path.", """
                Add it to the build; weir-bom has its version:

                <dependency>
                  <groupId>dev.weir</groupId>
                  <artifactId>weir-remote</artifactId>
                </dependency>\
                """);
        }
        if (!properties.getStores().isEmpty()) {
            throw new WeirStartFailure(
                    "weir.stores is set, but weir.store is " + store + ", and the counters are there.",
                    "Remove weir.stores; the settings of the server have their place.");
        }
        RuleSource fallback = fallback();
        try {
            RemoteWeir remote = RemoteWeir.at(store).observer(observer);
            secure(remote);
            if (properties.getDeadline() != null) {
                remote.deadline(properties.getDeadline());
            }
            if (properties.getWarmUp() != null) {
                remote.warmUp(properties.getWarmUp());
            }
            if (fallback != null) {
                remote.fallbackRules(fallback);
            } else if (properties.getOnFail() != null) {
                remote.onFail(properties.getOnFail());
            }
            return remote.open();
        } catch (IllegalArgumentException e) {
            throw MistakenProperty.of(e);
        }
    }

    /** The rules that decide while no server answers; null if there are none. */
    private @Nullable RuleSource fallback() {
        boolean beside = RulesLocation.isSet(properties.getRules(), loader);
        OnFail onFail = properties.getOnFail();
        if (properties.getRulesMode() == RulesMode.FALLBACK) {
            if (onFail == OnFail.ALLOW || onFail == OnFail.DENY) {
                throw new WeirStartFailure(
                        "weir.on-fail is " + onFail
                                + ", but weir.rules-mode is FALLBACK, whose rules would never be asked.",
                        "Remove one of the two, or set weir.on-fail to local.");
            }
            return RulesLocation.read(properties.getRules(), loader);
        }
        if (beside) {
            throw new WeirStartFailure(
                    (properties.getRules() == null ? "There is " + RulesLocation.USUAL : "weir.rules is set")
                            + ", but weir.store is " + store + ": the rules of the server are in force, not these.",
                    """
                    Move the rules to the server, and remove them here. Or let them decide while the server does not answer:

                    weir:
                      rules-mode: fallback\
                    """);
        }
        if (onFail == OnFail.LOCAL) {
            throw new WeirStartFailure(
                    "weir.on-fail is LOCAL, but there are no rules that could decide here.",
                    "Set weir.rules to them, and weir.rules-mode to fallback.");
        }
        return null;
    }

    private void secure(RemoteWeir remote) {
        WeirProperties.Tls tls = properties.getTls();
        if (!tls.isVerifyHost()) {
            throw new WeirStartFailure(
                    "weir.tls.verify-host is false, but " + store + " is always verified.",
                    "Remove the property, and give the server a certificate that names its host.");
        }
        if (tls.getTrust() != null) {
            remote.trust(tls.getTrust());
        }
        if (tls.getCertificate() != null && tls.getKey() != null) {
            remote.clientCertificate(tls.getCertificate(), tls.getKey());
        }
    }
}
