"""Many images by many processes, or many computers: `zoo.batch` and `zoo.read_results`.

`sources` lists images (`Item`), `results_folder` keeps the list in chunks, `work` runs a chunk,
`local_workers` and `dask_workers` share chunks out, `running` leads them.
"""
