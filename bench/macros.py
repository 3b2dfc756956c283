"""SQL macros that test engineers use, defined in every file that is written, so that host and sandbox agree.

All are aggregates. Limits may be NULL for a one-sided `cpk`. Sources: ISO 22514-2 (Cp, Cpk from the sample standard
deviation); 1.4826 * MAD is the usual consistent estimate of sigma for a normal distribution.
`first_pass_yield(board, attempt, passed)`: the share of boards whose every row of their lowest attempt passed.
"""

from __future__ import annotations

_ATTEMPTS = "list_sort(list(struct_pack(board := board, attempt := attempt, passed := passed)))"
# Sorted by board, attempt, passed: the first row of a board is a failed row of its first attempt, if there is one.
_FIRST_ROWS = f"""list_filter(
    list_zip({_ATTEMPTS}, list_concat([NULL], {_ATTEMPTS})),
    lambda pair: pair[1] IS NOT NULL AND (pair[2] IS NULL OR pair[1].board <> pair[2].board))"""

MACROS: dict[str, str] = {
    "cp(x, lower_limit, upper_limit)": "(upper_limit - lower_limit) / (6 * stddev_samp(x))",
    "cpk(x, lower_limit, upper_limit)": "least(upper_limit - avg(x), avg(x) - lower_limit) / (3 * stddev_samp(x))",
    "robust_sigma(x)": "1.4826::DOUBLE * mad(x)",
    "first_pass_yield(board, attempt, passed)": (
        f"list_avg(list_transform({_FIRST_ROWS}, lambda pair: pair[1].passed::INTEGER))"
    ),
}
