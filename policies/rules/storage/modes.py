"""Whether a claim's class can do what the claim asks for."""

from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.volumes import BLOCK_CLASSES, BLOCK_DRIVERS, storage_class
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import text, texts, whole


@rule("STO-707", MANDATORY, also=ADVISORY, on=Stack)
def modes_fit(stack: Stack) -> Complaints:
    """A class that clouds make themselves is known by its name, unless the site has made another of that name."""
    for claim in stack.of("PersistentVolumeClaim"):
        shared = "ReadWriteMany" in texts(claim.spec.get("accessModes")) and claim.spec.get("volumeMode") != "Block"
        name = text(claim.spec.get("storageClassName"))
        found = storage_class(stack, name) if name else None
        driver = text(found.props.get("provisioner")) if found else ""
        blocks = driver in BLOCK_DRIVERS or (found is None and name in BLOCK_CLASSES)
        if shared and blocks and whole(claim.spec) and stack.named("StorageClass"):
            what = f"asks for ReadWriteMany of class {name}, which has block volumes"
            yield Complaint(what, severity=None if driver else ADVISORY, about=claim)
