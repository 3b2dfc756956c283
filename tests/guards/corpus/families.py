"""Importing this module registers every family; the melted ones last, because they are made of others."""

from corpus import (  # noqa: F401
    attacked_families,
    current_families,
    damage_families,
    field_families,
    history_families,
    instrument_families,
    label_families,
    quantity_families,
    rails_families,
    stranger_families,
    table_families,
)
from corpus import melted_families as _last  # noqa: F401
