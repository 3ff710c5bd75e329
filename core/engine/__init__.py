"""One op on tensors: shapes, records, tensors, backends, dispatch, observers."""
