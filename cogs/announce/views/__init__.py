"""What is announced, and what people see who set it up."""
