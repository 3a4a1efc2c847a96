package dev.weir.spring.internal.methods;

import dev.weir.spring.RateLimited;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ReflectionUtils;

/** Tells a native image of the fallbacks of methods with {@link RateLimited}, and of the types that their expressions read. */
final class LimitedMethodHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        List<Method> limited =
                List.of(ReflectionUtils.getUniqueDeclaredMethods(type, each -> LimitedMethods.isLimited(each, type)));
        return limited.isEmpty()
                ? null
                : (context, code) -> limited.forEach(
                        each -> register(each, type, context.getRuntimeHints().reflection()));
    }

    private static void register(Method method, Class<?> type, ReflectionHints hints) {
        hints.registerMethod(method, ExecutableMode.INTROSPECT);
        for (Class<?> each : method.getParameterTypes()) {
            hints.registerType(each, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        for (RateLimited each : LimitedMethodReader.annotations(method, type)) {
            ReflectionUtils.doWithMethods(
                    type,
                    fallback -> hints.registerMethod(fallback, ExecutableMode.INVOKE),
                    fallback -> fallback.getName().equals(each.fallback()));
        }
    }
}
