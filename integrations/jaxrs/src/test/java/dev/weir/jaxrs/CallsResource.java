package dev.weir.jaxrs;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.HEAD;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Ends calls in every way that a resource can; looks, as late as it can, whether the permit is still held. */
@Path("calls")
public class CallsResource {
    private final LongSupplier free;
    private final Executor later;
    /** Calls that ran on after their permit was gone. */
    volatile int early;

    CallsResource(LongSupplier free, Executor later) {
        this.free = free;
        this.later = later;
    }

    private synchronized void stillHeld() {
        if (free.getAsLong() != 0) {
            early++;
        }
    }

    @GET
    @Path("returns")
    public String returns() {
        stillHeld();
        return "ok";
    }

    @POST
    @Path("nothing")
    public void nothing() {
        stillHeld();
    }

    @HEAD
    @Path("head")
    public Response head() {
        stillHeld();
        return Response.ok("ok").build();
    }

    @GET
    @Path("not-modified")
    public Response notModified() {
        return Response.notModified().build();
    }

    @GET
    @Path("throws")
    public String fails() {
        throw new IllegalStateException("on purpose");
    }

    @GET
    @Path("refuses")
    public String refuses() {
        throw new WebApplicationException("on purpose", 409);
    }

    @GET
    @Path("streams")
    public StreamingOutput streams() {
        return out -> {
            for (int i = 0; i < 64; i++) {
                out.write(new byte[16_384]);
            }
            stillHeld();
        };
    }

    @GET
    @Path("streams-and-throws")
    public StreamingOutput streamsAndThrows() {
        return out -> {
            out.write(1);
            stillHeld();
            throw new IOException("on purpose");
        };
    }

    /** No writer knows such an object. */
    @GET
    @Path("cannot-be-written")
    public Object cannotBeWritten() {
        return new Object[] {this};
    }

    @GET
    @Path("later")
    public void later(@Suspended AsyncResponse response) {
        later.execute(() -> {
            stillHeld();
            response.resume("ok");
        });
    }

    @GET
    @Path("throws-later")
    public void throwsLater(@Suspended AsyncResponse response) {
        later.execute(() -> {
            stillHeld();
            response.resume(new IllegalStateException("on purpose"));
        });
    }

    @GET
    @Path("times-out")
    public void timesOut(@Suspended AsyncResponse response) {
        response.setTimeout(100, TimeUnit.MILLISECONDS);
    }

    @GET
    @Path("orders/{id}")
    public String order(@PathParam("id") String id) {
        return id;
    }
}
