/** Tests of applications with limits: counters in memory, on a clock that the test moves. Only tests may use it. */
@NullMarked
package dev.weir.spring.test;

import org.jspecify.annotations.NullMarked;
