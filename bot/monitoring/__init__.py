"""How this process is, told on a port of this machine; loaded only where that port is set."""
