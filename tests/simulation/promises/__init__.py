"""What Kiosk promises, a file for each kind of promise; tests/simulation/model.py has them all."""
