"""The whole game interface as a real service, for playing, testing and developing."""
