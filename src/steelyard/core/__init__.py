"""Records, errors, `field(...)` and the `Scorer` base; standard library only, no I/O."""
