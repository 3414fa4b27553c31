"""STO-7xx: file systems and volumes."""
