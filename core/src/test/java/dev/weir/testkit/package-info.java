/** Access to the machine that tests of every module run on: ports, programs, waiting. */
@org.jspecify.annotations.NullMarked
package dev.weir.testkit;
