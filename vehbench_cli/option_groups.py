"""Options in groups: a dataclass holds the options of one help panel, and a command takes it as one argument."""

import inspect
from collections.abc import Callable
from dataclasses import field, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer


def option(default: Any, help_text: str, **more: Any) -> Any:
    """A field of a group: its default, its help text and what else `typer.Option` takes, such as `min`."""
    return field(default=default, metadata={"help": help_text, **more})


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command for typer, which needs flat parameters, from one that takes dataclasses of options.

    Each field of such a dataclass becomes an option `--name` of the field's type, in a help panel titled by the class's
    docstring. It also comes from the environment, as VEHBENCH_NAME. Parameters of other types stay as they are.
    """
    hints: dict[str, Any] = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        flat = _options(groups[parameter.name]) if parameter.name in groups else [parameter]
        parameters += [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in flat]

    def command_with_options(**given: Any) -> None:
        values = {
            name: group(**{item.name: given.pop(item.name) for item in fields(group)}) for name, group in groups.items()
        }
        command(**values, **given)

    command_with_options.__doc__ = command.__doc__
    command_with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command_with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command_with_options


def _options(group: Any) -> list[inspect.Parameter]:
    """The fields of a group as parameters."""
    hints, panel = get_type_hints(group), group.__doc__.rstrip(".")
    parameters = []
    for item in fields(group):
        flag, variable = f"--{item.name.replace('_', '-')}", f"VEHBENCH_{item.name.upper()}"
        info = typer.Option(flag, envvar=variable, rich_help_panel=panel, **item.metadata)
        parameters.append(
            inspect.Parameter(
                item.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=item.default,
                annotation=Annotated[hints[item.name], info],
            )
        )
    return parameters
