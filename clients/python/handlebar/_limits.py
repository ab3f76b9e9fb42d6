"""Limits of the protocol, and of this client."""

STANDARD_PATH = "/run/handlebar/location.sock"
# Longest line of the protocol, with its CR LF.
MAXIMUM_LINE = 10_239
# Most pending events of a slow consumer; the oldest makes room.
MAXIMUM_EVENTS = 64
# Most reports that are kept as answers to one request, against a daemon that never stops sending.
MAXIMUM_ANSWERS = 1024
# Points of a course in one request, which is at most 4096 bytes long.
COURSE_POINTS = 100
# Limits of a connection's set-up, and of an answer, in seconds.
CONNECT_TIMEOUT = 5.0
ANSWER_TIMEOUT = 5.0
# Longest time in which a course is read, which may be changed meanwhile.
COURSE_TIMEOUT = 30.0
# Delay between two attempts of a request that waits for a daemon, in seconds.
RETRY = 0.25
# First and longest delay between two attempts of a subscription, in seconds.
BACKOFF = (0.1, 5.0)
# Most unsent bytes of view reports.
MAXIMUM_UNSENT = 65_536
