package dev.weir.spring.internal.boot;

import dev.weir.TimeSource;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/** Opens a {@link Weir} for the application. An application that has a bean of this type uses that one. */
@AutoConfiguration
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
public class WeirAutoConfiguration {

    @Bean
    RulePhases weirRulePhases(WeirProperties properties) {
        BootVersion.check(SpringBootVersion.getVersion());
        return new RulePhases(properties.getHttp().getAttributes().keySet());
    }

    @Bean
    @ConditionalOnMissingBean
    Weir weir(
            WeirProperties properties,
            ResourceLoader loader,
            ObjectProvider<WeirObserver> observers,
            ObjectProvider<TimeSource> time) {
        List<WeirObserver> all = observers.orderedStream().toList();
        Weir weir = new WeirOpener(properties, loader).open(new ObserverList(all), time.getIfAvailable());
        all.forEach(each -> each.rulesChanged(weir.rules()));
        return weir;
    }

    @Bean
    ApplicationDomain weirDomain(Weir weir, WeirProperties properties) {
        return ApplicationDomain.of(weir, properties);
    }
}
