"""Importing this module registers every family."""

from corpus import (  # noqa: F401
    current_families,
    damage_families,
    label_families,
    quantity_families,
    rails_families,
    stranger_families,
    table_families,
)
