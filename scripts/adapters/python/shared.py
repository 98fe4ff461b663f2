"""What adapters share whose packages ask Python's clocks: one clock for the process, whose seconds are the suite's nanoseconds."""


class Time:
    """Stands in for module `time` within a package. It begins at 1, since a time of 0 means "never" to some."""
    now, moved = 1, []

    @staticmethod
    def time():
        return Time.now

    monotonic = time


class OnClock:
    def advance(self, amount):
        Time.now += amount
        for told in Time.moved:
            told()

    def moveWallClock(self, amount):
        pass
