"""What is followed: catalogs and threads are looked at again, and what is new there is told."""
