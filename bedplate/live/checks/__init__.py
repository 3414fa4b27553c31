"""What is looked at: pure functions from what is wanted and what was seen to findings. One file for each subject."""
