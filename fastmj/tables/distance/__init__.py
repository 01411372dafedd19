"""Tables of shanten, acceptance and waits, and the code that makes them."""
