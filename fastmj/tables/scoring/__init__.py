"""Tables that scoring reads, and the code that makes them."""
