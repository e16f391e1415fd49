"""What runs inside a toolchain's container to make worlds; it stands alone, standard library only."""
