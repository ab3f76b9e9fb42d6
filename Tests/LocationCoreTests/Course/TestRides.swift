@_exported import TestRides
