package dev.weir.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Lets a Spring test control the limiter: counters live in memory, whatever {@code weir.store} says, and time stands still until
 * the test moves the {@link VirtualTime} that it injects. Stands beside {@code @SpringBootTest} or a slice such as
 * {@code @WebMvcTest}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(VirtualTime.class)
@TestPropertySource(properties = {"weir.store=memory", "weir.rules-mode=enforce"})
public @interface WeirTest {}
