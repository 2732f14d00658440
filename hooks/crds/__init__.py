"""The CustomResourceDefinitions, made from the models of `hooks.api`; `crds/` holds what comes out.

It reads Kubernetes' published schemas, which a package of the extra `simulate` brings, only when a definition is made.
"""

from hooks.crds.definition import all_definitions
from hooks.crds.files import file_contents
from hooks.crds.published import MissingSchemasError

__all__ = ["MissingSchemasError", "all_definitions", "file_contents"]
