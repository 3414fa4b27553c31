"""The stack's real controllers as processes of the lab: their own code, configured by what the stack deploys."""
