"""Programs that pods run to check storage and servers: handed to them as text, so they import nothing of ours."""
