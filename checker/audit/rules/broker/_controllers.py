"""Rules on controllers' lines whose findings explain why brokers' lines differ: the controller's line is the wrong
one.
"""

CONTROLLERS = (
    "KR201",
    "KR202",
    "KR203",
    "KR204",
    "KR205",
    "KR206",
    "KR207",
    "KR208",
    "KR209",
    "KR210",
    "KR211",
    "KR402",
)
