"""Write the generated pages, the profile's JSON Schema and the bundle of admission policies anew (`make schema`)."""

from bedplate.fleet import schema as fleet
from bedplate.policies import admission
from bedplate.stacks.profile import schema
from tests.tools.pages import answers, hardened, hardware, models, pictures, platforms, policies, profile, upgrades

if __name__ == "__main__":
    for page in (answers, upgrades, hardened, hardware, models, pictures, platforms, policies, profile, schema, fleet):
        page.write()
    admission.write_bundle()
