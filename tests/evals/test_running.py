"""The suffixes of methods' names: each stands for settings that the method reads."""

import pytest

from errata.evals.running import variant
from errata.state import Context
from errata.state.errors import ConfigurationError


def test_a_suffix_changes_the_settings_of_its_variant_alone() -> None:
    context = Context()
    assert variant("rarr:no-gate", context).context.gate is False
    assert variant("rarr:sentences", context).context.questions == "sentence"
    efec = variant("rarr:efec", context).context
    assert (efec.questions, efec.editor, efec.max_edit_share) == ("sentence", "fused", 1)
    assert context == Context()


@pytest.mark.parametrize("name", ["purr:no-gate", "ground:sentences", "critic:efec", "rarr:no-tools"])
def test_a_suffix_that_changes_nothing_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="goes with"):
        variant(name, Context())
