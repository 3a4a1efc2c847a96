/** What tests of every module need of the machine that they run on. */
@org.jspecify.annotations.NullMarked
package dev.weir.testkit;
