"""Reports: pure functions of an `EvalRun`."""
