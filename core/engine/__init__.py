"""One op on tensors, in processing order: shapes, records, tensors, backends, dispatch, observers."""
