"""A method as LangServe needs it: a Runnable whose settings come with each request."""

from collections.abc import AsyncIterator, Mapping
from functools import cache, cached_property
from typing import Annotated, Any

from langchain_core.runnables import ConfigurableFieldSpec, Runnable, RunnableConfig
from langchain_core.runnables.config import get_config_list
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StreamMode
from pydantic import BaseModel, ValidationError, WithJsonSchema

from ...graphs import METHODS
from ...state import Context, Result
from ...state.errors import ConfigurationError
from ...state.runs.addresses import bare
from ...state.runs.given import refuse_unread
from ...state.runs.hosts import ceilings, of_request, requestable, trusted
from ...state.runs.meter import spend

BATCH_AT_ONCE = 8
"""How many runs of one batch at once."""
_OF_LANGGRAPH = ("__", "checkpoint_", "langgraph_", "thread_id", "run_id", "assistant_id", "graph_id")
"""How keys begin that a RemoteRunnable inside another graph sends along. They are not settings."""


class Served(Runnable[dict[str, Any], Any]):
    """A graph that reads its Context from `config["configurable"]`, on top of the server's own."""

    def __init__(self, graph: CompiledStateGraph[Any, Context, Any, Any], defaults: Context) -> None:
        self.graph = graph
        self.defaults = defaults
        self.name = graph.name

    def get_input_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        """The graph's own."""
        return self.graph.get_input_schema(config)

    def get_output_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        """The graph's own."""
        return self.graph.get_output_schema(config)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of what the method takes."""
        return tuple(self.graph.get_input_jsonschema()["properties"])

    @cached_property
    def input_model(self) -> type[BaseModel]:
        """What the method takes."""
        return self.get_input_schema()

    @property
    def config_specs(self) -> list[ConfigurableFieldSpec]:
        """The settings that a request may have, and `thread_id`."""
        return self._specs

    @cached_property
    def _specs(self) -> list[ConfigurableFieldSpec]:
        thread = ConfigurableFieldSpec(
            id="thread_id",
            name="thread_id",
            annotation=Annotated[Any, WithJsonSchema({"type": ["string", "null"]})],
            description="A name for the run, to find its trace by.",
            default=None,
        )
        return [*(_spec(name, self.defaults) for name in offered(self.graph.name)), thread]

    def invoke(self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> Result:
        """Run the graph with the settings in `config["configurable"]`."""
        result: Result = self.graph.invoke(input, self._bare(config), context=self._context(config), **kwargs)
        return result

    async def ainvoke(self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> Result:
        """As `invoke`, async; also counts the failures of the run."""
        result: Result = await self.graph.ainvoke(input, self._bare(config), context=self._context(config), **kwargs)
        spend(failures=len(result["failures"]))
        return result

    async def abatch(
        self,
        inputs: list[dict[str, Any]],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        **kwargs: Any,
    ) -> list[Any]:
        """Run a batch, a few inputs at once."""
        configs: list[RunnableConfig] = [
            {**each, "max_concurrency": BATCH_AT_ONCE} for each in get_config_list(config, len(inputs))
        ]
        return await super().abatch(inputs, configs, **kwargs)

    async def astream(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Stream what happens as it happens (`{"step": ...}`), and then the Result."""
        result: dict[str, Any] = {}
        async for mode, chunk in self.follow(input, self._context(config), self._bare(config), **kwargs):
            if mode == "custom":
                yield chunk
            else:
                result = chunk
        yield result

    async def follow(
        self,
        input: dict[str, Any],
        context: Context,
        config: RunnableConfig | None = None,
        *,
        writing: bool = False,
        **kwargs: Any,
    ) -> AsyncIterator[tuple[str, Any]]:
        """Stream what happens, each event with its mode: `custom`, `values` (the last is the Result), `messages`.

        Args:
            input: The input of the method.
            context: The settings of the run.
            config: LangChain's config.
            writing: Whether to stream what models write, as they write it.
            **kwargs: Passed on to the graph.
        """
        modes: list[StreamMode] = ["custom", "values", "messages"]
        stream: AsyncIterator[Any] = self.graph.astream(
            input,
            config,
            context=context,
            stream_mode=modes if writing else modes[:2],
            output_keys=self.graph.output_channels,
            subgraphs=writing,  # a draft in turns has its own steps
            version="v1",
            **kwargs,
        )
        last: dict[str, Any] = {}
        async for *within, mode, chunk in stream:
            if mode == "values" and any(within):
                continue
            if mode == "values":
                last = chunk
            yield mode, chunk
        spend(failures=len(last.get("failures", ())))

    def context(self, request_settings: Mapping[str, Any]) -> Context:
        """The settings of a run. The playground sends every field; one that it shows unchanged does not count as given.

        Raises ConfigurationError as `settings` does.
        """
        defaults = {spec.id: spec.default for spec in self._specs}
        changed = {
            name: value for name, value in request_settings.items() if name not in defaults or value != defaults[name]
        }
        run_settings = settings(changed, self.defaults)
        refuse_unread(self.graph.name, changed, METHODS[self.graph.name].reads)
        return run_settings

    def _context(self, config: RunnableConfig | None) -> Context:
        return self.context((config or {}).get("configurable", {}))

    @staticmethod
    def _bare(config: RunnableConfig | None) -> RunnableConfig:
        """The config without our settings, which LangGraph would write into the trace of every step."""
        bare: RunnableConfig = {**config} if config else {}
        configurable = bare.get("configurable", {})
        bare.pop("max_concurrency", None)  # which would be that of the steps
        bare["configurable"] = {name: value for name, value in configurable.items() if name not in Context.model_fields}
        return bare


def check_defaults(defaults: Context) -> None:
    """Raise ConfigurationError for settings that a server of requests can't be started with."""
    ceilings(defaults)
    if defaults.review:
        raise ConfigurationError("setting `review` needs a server that waits for a person: use `langgraph dev`")


def check_input(graph_input: Any, served: Served) -> None:
    """Raise ConfigurationError for the input of a request that its method can't take."""
    names = served.inputs
    if not isinstance(graph_input, dict):
        raise ConfigurationError(f"the input must be an object with {' or '.join(names)}")
    for name in graph_input.keys() - set(names):
        raise ConfigurationError(f"there is no input `{name}`: use {', '.join(names)}")
    try:
        served.input_model.model_validate(graph_input)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(f"input `{first['loc'][-1]}`: {first['msg'].lower()}") from None
    if not any(isinstance(value, str) and value.strip() for value in graph_input.values()):
        raise ConfigurationError(f"there is nothing to check: the input is empty, give {' or '.join(names)}")


def offered(method: str) -> list[str]:
    """The settings of a method that a request may change here, where nobody can review anything."""
    return [name for name in Context.model_fields if name in METHODS[method].reads & requestable() - {"review"}]


def settings(request_settings: Mapping[str, Any], defaults: Context) -> Context:
    """The Context of a request: its settings on top of the server's.

    Raises ConfigurationError, naming the setting, for one that is unknown, invalid, reserved for the operator, or can't
    work here.
    """
    chosen = {name: value for name, value in request_settings.items() if not name.startswith(_OF_LANGGRAPH)}
    if chosen.get("review"):
        raise ConfigurationError("setting `review` needs a server that waits for a person: use `langgraph dev`")
    return trusted(of_request(chosen, defaults))


def _spec(name: str, defaults: Context) -> ConfigurableFieldSpec:
    default = _default(getattr(defaults, name))
    form = _form(name, default)
    if name in (most := ceilings(defaults)):
        form["maximum"] = most[name]
    return ConfigurableFieldSpec(
        id=name,
        name=name,
        annotation=Annotated[Any, WithJsonSchema(form)],  # whether a value is valid, the Context says
        description=Context.model_fields[name].description,
        default=default,
    )


def _form(name: str, default: Any) -> dict[str, Any]:
    """The JSON schema of a field. A nullable field says so in `type`, because `anyOf` breaks the playground."""
    schema: dict[str, Any] = {**_schemas()[name]}
    for variant in schema.pop("anyOf", []):
        schema = variant | schema  # the first is its type, the other null
    if default is not None:
        return schema
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **choices, "type": [schema["type"], "null"]}


@cache
def _schemas() -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = Context.model_json_schema()["properties"]
    return properties


def _default(value: Any) -> Any:
    """The value as the form shows it: names are shown, objects that only Python can pass are not."""
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if isinstance(item, str)}
    return bare(value) if isinstance(value, str) else value if isinstance(value, int | float) else None
