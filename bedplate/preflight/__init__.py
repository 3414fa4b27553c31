"""What a cloud has for the nodes of a profile, asked before anything is made, and nothing but asked.

A plan knows no account. This looks: quotas, offers of the zones, reservations, networks; and says what is short. It
asks the cloud's own command line, which has the user's login already, and makes and changes nothing.
"""
