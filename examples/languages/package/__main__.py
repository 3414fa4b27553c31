"""What the engine starts, once for each program that uses the package."""

from bedplate.component import serve

serve()
