"""Prints the positions of Qt Positioning from sentences on a Unix socket: `qt.py SOCKET`.

Debian's Python runs this. Each update is a line: latitude, longitude, altitude.
"""

import sys

from PyQt5.QtCore import QCoreApplication
from PyQt5.QtNetwork import QLocalSocket
from PyQt5.QtPositioning import QNmeaPositionInfoSource


def told(update):
    place = update.coordinate()
    print(place.latitude(), place.longitude(), place.altitude(), flush=True)


application = QCoreApplication(sys.argv)
sentences = QLocalSocket()
sentences.connectToServer(sys.argv[1])
if not sentences.waitForConnected():
    sys.exit(sentences.errorString())
source = QNmeaPositionInfoSource(QNmeaPositionInfoSource.RealTimeMode)
source.setDevice(sentences)
source.positionUpdated.connect(told)
source.startUpdates()
application.exec()
