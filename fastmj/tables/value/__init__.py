"""Tables of fan distances, and the code that makes them."""
