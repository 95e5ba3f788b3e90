"""What runs in GitHub Actions with more rights than reading: pure functions and a thin edge."""
