"""Any pytest suite of a vendor, run as every other suite: each test isolated, timed and told."""
