"""`params.yaml` as frozen models: every parameter, its meaning, its unit and its bounds."""

from skill2env.params.llm import BudgetParams, EndpointParams, LlmParams, Price
from skill2env.params.stages import (
    AuthorParams,
    BuildParams,
    DraftParams,
    DriverParams,
    ImportParams,
    ParseParams,
    PublishParams,
    RolloutParams,
    ValidateParams,
)
from skill2env.params.whole import Params, load_params

__all__ = [
    "AuthorParams",
    "BudgetParams",
    "BuildParams",
    "DraftParams",
    "DriverParams",
    "EndpointParams",
    "ImportParams",
    "LlmParams",
    "Params",
    "ParseParams",
    "Price",
    "PublishParams",
    "RolloutParams",
    "ValidateParams",
    "load_params",
]
