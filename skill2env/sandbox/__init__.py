"""The only code that talks to an engine: containers, images, shells, and setting the machine up."""
