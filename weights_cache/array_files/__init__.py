"""Files of arrays by name: archives of NumPy and safetensors."""
