"""Re-solving subgames during play, safely: better below a public state than the blueprint, never worse."""
