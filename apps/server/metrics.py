"""What the server counts, for Prometheus."""

from typing import Any

from starlette.responses import Response

from .traffic import Load


class Metrics:
    """What Prometheus reads at `/metrics`."""

    def __init__(self, load: Load) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry()
        options: Any = {"registry": self.registry}
        self._requests = Counter("errata_requests", "Requests.", ["method", "call", "status"], **options)
        self._seconds = Histogram(
            "errata_run_seconds",
            "Time of runs.",
            ["method"],
            buckets=(0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600),
            **options,
        )
        self._calls = Counter("errata_model_calls", "Requests answered by a language model.", ["method"], **options)
        self._tokens = Counter("errata_tokens", "Tokens of language models.", ["method", "kind"], **options)
        self._cost = Counter("errata_cost_dollars", "US dollars, if prices are set.", ["method"], **options)
        self._failures = Counter("errata_failures", "Models and tools that failed in a run.", ["method"], **options)
        Gauge("errata_runs", "Active runs.", **options).set_function(lambda: load.running)
        Gauge("errata_queue", "Waiting runs.", **options).set_function(lambda: load.waiting)

    def note(self, method: str, call: str, status: int, seconds: float, used: dict[str, Any], dollars: float) -> None:
        """Count a request that is over. An empty `method` is a request that ran none."""
        self._requests.labels(method, call, status).inc()
        if method:
            self._seconds.labels(method).observe(seconds)
            self._calls.labels(method).inc(used["llm_calls"])
            self._tokens.labels(method, "input").inc(used["input_tokens"])
            self._tokens.labels(method, "output").inc(used["output_tokens"])
            self._cost.labels(method).inc(dollars)
            self._failures.labels(method).inc(used.get("failures", 0))

    async def page(self) -> Response:
        """The metrics, in Prometheus' own format."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)
