"""What runs beside a snippet inside the sandbox. Nothing here is trusted by the host: it only makes answers
readable."""
