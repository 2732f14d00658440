import pytest

pytest.register_assert_rewrite("tests.laws")  # so that a law that breaks in a test shows the values
