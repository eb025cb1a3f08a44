"""Spark's daemon, which has imported what each of its workers needs: they come and go in tests."""

if __name__ == "__main__":
    from pyspark import daemon  # not where this file is looked through for tests, without Spark

    daemon.manager()
