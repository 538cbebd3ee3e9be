"""Which backend a model's name stands for, and options that it cannot heed."""

import pytest

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Weights
from vehbench_runners import BackendOptions, make_backend


@pytest.mark.parametrize("model", ["openai/m", "baseline/anchor", "inspect/openai/m"])
def test_an_engine_option_is_refused_where_there_is_no_engine(model: str) -> None:
    for options in (BackendOptions(engine={"tensor_parallel_size": 2}), BackendOptions(managed_server=True)):
        with pytest.raises(UserError, match="vllm/"):
            make_backend(model, options=options)
    with pytest.raises(UserError, match="dtype"):
        make_backend(model, weights=Weights(dtype="float16"))
