"""What is inside a pod."""
