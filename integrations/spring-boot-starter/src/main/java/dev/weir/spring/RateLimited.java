package dev.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the calls of a method of a bean by a rule.
 *
 * <pre>{@code
 * @RateLimited(value = "orders", key = "#user.id", cost = "#items.size()", fallback = "later")
 * Receipt place(User user, List<Item> items) ...
 *
 * Receipt later(User user, List<Item> items, RateLimitedException denied) ...
 * }</pre>
 *
 * <p>The method asks this rule alone, and HTTP calls do not ask it. A call that may not pass throws a
 * {@link RateLimitedException}; a method that returns a future, a {@code Mono} or a {@code Flux} returns one that fails with it.
 * Several annotations on one method are one decision: all limits take their part, or none does.
 *
 * <p>On a class it limits each public method that has no annotation of its own. It works on interfaces and as a meta-annotation.
 * A call from within the same object does not pass the proxy, and is not limited. Everything else that would be without effect
 * fails when the application starts: an unknown rule, a method that is private, static or final, a wrong expression or fallback.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Repeatable(RateLimits.class)
public @interface RateLimited {

    /** The name of the rule. */
    String value();

    /**
     * A SpEL expression for what the rule counts by: the value of its {@code key_by}, or a map of attributes if the rule needs
     * several. Parameters are {@code #name} or {@code #p0}. Null is an error, because it would be one counter for all.
     */
    String key() default "";

    /** A SpEL expression for the hits that the call takes. */
    String cost() default "1";

    /**
     * The name of a method of the same class that answers in the place of a denied call. It has the same return type and
     * parameters, and may have a last one for the {@link RateLimitedException}.
     */
    String fallback() default "";

    /** The domain of the rule; by default that of the application. */
    String domain() default "";
}
