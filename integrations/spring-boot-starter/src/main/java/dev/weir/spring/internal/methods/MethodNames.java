package dev.weir.spring.internal.methods;

import java.lang.reflect.Method;

/** The name of a method for people. */
final class MethodNames {
    private MethodNames() {}

    static String of(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
