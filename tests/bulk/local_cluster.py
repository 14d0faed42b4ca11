"""A Dask cluster of two processes on this machine, until the standard input ends; its address is printed."""

import sys

from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()
