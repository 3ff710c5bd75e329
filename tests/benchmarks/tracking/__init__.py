"""Numbers of followed people beside those of other trackers, on clips with true numbers."""
