"""The form in which the API server writes quantities back; each line was seen on a real one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.quantities import canonical_quantity
from hooks.simulator.builtin.quantities import canonical, nano_units

NUMBERS = st.decimals(min_value=0, max_value=10**6, places=3, allow_nan=False).map(lambda number: format(number, "f"))
SUFFIXES = st.sampled_from(["", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-2"])


@pytest.mark.parametrize(
    ("given_", "written"),
    [
        ("1000m", "1"),
        ("0.5", "500m"),
        (1, "1"),
        (2.5, "2500m"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.1Mi", "104857600m"),
        ("1025Ki", "1025Ki"),
        ("1000k", "1M"),
        ("1500M", "1500M"),
        ("1e3", "1e3"),
        ("12e2", "1200"),
        ("1.5e9", "1500e6"),
        ("0Gi", "0"),
        (" 1Gi ", "1Gi"),
        ("1.500", "1.500"),
        ("2.125", "2.125"),
        ("0.250", "250m"),
        ("007", "007"),
        ("+5", "+5"),
        ("1.0000000001", "1000000001n"),
        ("1024Ei", "9223372036854775807"),
    ],
)
def test_a_quantity_is_written_as_the_server_writes_it(given_, written):
    assert canonical(given_) == written


@pytest.mark.parametrize(("given_", "written"), [("100n", "1m"), ("0.0001", "1m"), ("1.0000000001", "1001m")])
def test_requests_and_limits_are_rounded_up_to_thousandths(given_, written):
    assert canonical(given_, milli=True) == written


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ("", "quantities must match the regular expression"),
        ("abc", "quantities must match the regular expression"),
        ("1.2.3", "quantities must match the regular expression"),
        ("1 Gi", "quantities must match the regular expression"),
        ("10Kb", "quantities must match the regular expression"),
        ("1ki", "unable to parse quantity's suffix"),
        ("1KiMi", "unable to parse quantity's suffix"),
    ],
)
def test_what_is_none_is_refused_in_the_servers_words(given_, words):
    with pytest.raises(ValueError, match=words):
        canonical(given_)


@given(NUMBERS, SUFFIXES)
def test_the_canonical_form_is_the_same_amount_and_stays_as_it_is(number, suffix):
    written = canonical(number + suffix)
    assert nano_units(written) == nano_units(number + suffix)
    assert canonical(written) == written


@given(NUMBERS, SUFFIXES)
def test_what_the_hooks_write_is_kept(number, suffix):
    ours = canonical_quantity(number + suffix)
    assert canonical(ours) == ours


@pytest.mark.parametrize("endless", ["1e2147483647", "1" * 2000])
def test_an_amount_of_nothing_on_earth_is_refused_at_once(endless):
    with pytest.raises(ValueError, match="quantities must match"):
        canonical(endless)
