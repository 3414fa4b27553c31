"""Write the generated pages, the profile's JSON Schema and the bundle of admission policies anew (`make schema`)."""

from bedplate.policies import admission
from bedplate.stacks.profile import schema
from tests.tools.pages import hardened, hardware, models, pictures, platforms, policies, profile, upgrades

if __name__ == "__main__":
    for page in (upgrades, hardened, hardware, models, pictures, platforms, policies, profile, schema):
        page.write()
    admission.write_bundle()
