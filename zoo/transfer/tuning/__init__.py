"""Fine-tuning: the last layers of a network learn together with a head."""
