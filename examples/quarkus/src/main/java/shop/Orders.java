package shop;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

@Path("orders")
public class Orders {

    @GET
    @Path("{id}")
    public String order(@PathParam("id") String id) {
        return "order " + id + "\n";
    }
}
