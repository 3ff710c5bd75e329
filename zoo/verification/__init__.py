"""Verification of models: every backend computes the same numbers.

- `variants`: what runs: the backends, and the tiers of cpu
- `child`, `networks`, `cases`, `goldens`: what happens in the process of each of them
- `children`: these processes, as their parent sees them
- `comparison`: the differences, and the limits that they must keep
- `rows`, `junit`, `markdown`: results and their forms
- `verifying`: `zoo.verify`
"""
