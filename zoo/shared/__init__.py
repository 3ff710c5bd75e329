"""What two or more tasks share to decode outputs, with NumPy alone."""
