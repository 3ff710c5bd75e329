"""Features of images: extraction, blocks, rows on disk, the store by content."""
